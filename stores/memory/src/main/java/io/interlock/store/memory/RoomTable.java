package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Pause;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.rules.Contents;
import io.interlock.spi.run.rules.Facts;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.Room;
import io.interlock.spi.run.rules.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keys as rooms: every step about runs loads the key's {@link Room}, settles what time has brought about, and keeps what the
 * rules made of it.
 *
 * <p>Locks are taken in this order: the slots of the keys, the latch of pauses, the monitor of the rows.
 */
abstract class RoomTable extends LeaseTable {

    final RunRows rows = new RunRows();

    /** Who wants to hear of work: that of a tenant, or that of any. */
    final Watchers<Optional<String>> work = new Watchers<>();

    private final RandomGenerator random;
    private final ReadWriteLock pausing = new ReentrantReadWriteLock();
    private volatile List<Pause> pauses = List.of();

    RoomTable(StoreClock clock, Duration maxLease, RandomGenerator random) {
        super(clock, maxLease);
        this.random = random;
    }

    /** One atomic step on a key, whether it has a lease or not. */
    <T> T step(LockKey key, Function<Room, T> rule) {
        return slots.with(List.of(key), locked -> step(locked.get(0), rule));
    }

    /** Settles what time has brought about on a key, and says what that was. */
    List<SweepAction> sweepRuns(LockKey key) {
        return slots.with(List.of(key), locked -> apply(locked.get(0), Settlement::settle));
    }

    /** One atomic step on a locked slot, which its caller removes if it has no lease after it. */
    <T extends @Nullable Object> T step(Slot slot, Function<Room, T> rule) {
        return apply(slot, room -> {
            Settlement.settle(room);
            return rule.apply(room);
        });
    }

    private <T extends @Nullable Object> T apply(Slot slot, Function<Room, T> rule) {
        return whilePausesStand(() -> {
            synchronized (rows) {
                LeaseRow before = slot.row();
                Room room = load(slot, before);
                T answer = rule.apply(room);
                rows.keep(slot.key(), room);
                if (room.changes().runs().stream().anyMatch(run -> run.state() == RunState.PENDING)) {
                    wakeWorkers(slot.key().tenant());
                }
                LeaseRow after = room.contents().lease();
                if (!Objects.equals(before, after)) {
                    slot.set(after);
                }
                return answer;
            }
        });
    }

    /** The room of a locked slot. */
    Room load(Slot slot, @Nullable LeaseRow lease) {
        Contents contents = seen(rows.contents(slot.key(), lease, slot.token()));
        // As in every step: first the clock, then the era.
        Instant now = now();
        Era era = era();
        Instant quietUntil = era.quietUntil() == Long.MIN_VALUE ? null : StoreClock.instant(era.quietUntil());
        Facts facts = new Facts(
                slot.key(),
                now,
                era.epoch(),
                slots.floor(),
                quietUntil,
                pauses,
                rows.busy(slot.key().tenant()),
                rows.nextNumber(),
                random.nextDouble());
        return new Room(facts, contents);
    }

    /** Tells whoever takes work of {@code tenant} to look again; whoever does so waits until this step is done. */
    void wakeWorkers(String tenant) {
        work.wake(Optional.of(tenant));
        work.wake(Optional.empty());
    }

    /** A look at a key that changes nothing. */
    <T> T look(LockKey key, Function<Room, T> look) {
        return slots.with(
                List.of(key),
                locked -> alone(rows -> {
                    Slot slot = locked.get(0);
                    return look.apply(load(slot, slot.row()));
                }));
    }

    /** The store's time. */
    Instant now() {
        return StoreClock.instant(clock.now());
    }

    /** Reads or changes what is kept about no particular key, while nobody else does. */
    <T extends @Nullable Object> T alone(Function<RunRows, T> step) {
        synchronized (rows) {
            return step.apply(rows);
        }
    }

    /** What rules get to see of a key: all of it. */
    Contents seen(Contents contents) {
        return contents;
    }

    /** Changes the pauses while nobody is granted anything. */
    <T> T changePauses(Function<RunRows, T> change) {
        pausing.writeLock().lock();
        try {
            synchronized (rows) {
                T answer = change.apply(rows);
                pauses = rows.pauses();
                return answer;
            }
        } finally {
            pausing.writeLock().unlock();
        }
    }

    /** A step during which no pause begins or ends. */
    <T extends @Nullable Object> T whilePausesStand(Supplier<T> step) {
        pausing.readLock().lock();
        try {
            return step.get();
        } finally {
            pausing.readLock().unlock();
        }
    }

    /** Whether runs or pauses have anything to do with a key. */
    boolean concernsRuns(LockKey key) {
        return rows.know(key) || pauses.stream().anyMatch(pause -> pause.covers(key));
    }
}
