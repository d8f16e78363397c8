package io.interlock.locks.internal;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The lines of those who wait in this process: one for each key that somebody waits for, and none for any other. */
final class WaitLines {

    private final House house;
    private final Map<LockKey, WaitLine> lines = new ConcurrentHashMap<>();
    private final Map<Turn, LockKey> places = new ConcurrentHashMap<>();
    private final AtomicLong tickets = new AtomicLong();

    WaitLines(House house) {
        this.house = house;
    }

    /** Whether somebody waits for one of {@code keys}, and for which. */
    @Nullable
    LockKey busy(Collection<LockKey> keys) {
        for (LockKey key : keys) {
            if (lines.containsKey(key)) {
                return key;
            }
        }
        return null;
    }

    /**
     * A place for {@code ask}, given up after {@code maxWait}. Completing its result in any way leaves the line.
     *
     * @param telling where the result is completed
     */
    Turn turn(Ask ask, Duration maxWait, Executor telling) {
        Turn turn = new Turn(tickets.incrementAndGet(), ask.waiting(), telling);
        Timers.Scheduled limit = house.deadlines().after(LocalTime.capped(maxWait), () -> timeOut(turn));
        turn.whenDone(() -> {
            limit.cancel();
            leave(turn);
        });
        return turn;
    }

    /** A place for {@code ask} that gives up never by itself. */
    Turn turn(Ask ask, Executor telling) {
        return new Turn(tickets.incrementAndGet(), ask, telling);
    }

    /** Puts {@code turn} into the line of {@code key}. */
    void join(Turn turn, LockKey key) {
        places.put(turn, key);
        WaitLine line = lines.computeIfAbsent(key, k -> new WaitLine(k, house));
        while (!line.join(turn)) {
            line = lines.computeIfAbsent(key, k -> new WaitLine(k, house));
        }
        if (house.door().isClosed()) {
            turn.fail(Door.closed());
        }
        // It may have given up between the two steps above.
        if (turn.result().isDone()) {
            places.remove(turn);
            line.leave(turn);
        }
    }

    /** The key may be free: whoever is first in its line looks. */
    void wake(LockKey key) {
        WaitLine line = lines.get(key);
        if (line != null) {
            line.lookAgain();
        }
    }

    /** Sends everybody away. */
    void close() {
        places.keySet().forEach(turn -> turn.fail(Door.closed()));
    }

    void forget(LockKey key, WaitLine line) {
        lines.remove(key, line);
    }

    /** How many keys somebody waits for. */
    int size() {
        return lines.size();
    }

    private void leave(Turn turn) {
        LockKey key = places.remove(turn);
        WaitLine line = key == null ? null : lines.get(key);
        if (line != null) {
            line.leave(turn);
        }
    }

    private void timeOut(Turn turn) {
        Refusal refusal = turn.refusal();
        LockKey key = places.get(turn);
        WaitLine line = key == null ? null : lines.get(key);
        if (line != null && line.refusal() != null) {
            refusal = line.refusal();
        }
        if (refusal != null) {
            turn.settle(new Acquisition.Refused(refusal), house.leases());
            return;
        }
        // It is not known yet why it must wait: a look of its own says so, under another id, because its place in line
        // may be looking too and both would be given the same grant.
        Ask own = turn.ask().named(LeaseId.random(house.settings().environment().random()));
        house.asker().lookAsync(own).whenComplete((acquisition, failure) -> {
            if (failure != null) {
                turn.fail(Futures.cause(failure));
            } else {
                turn.settle(acquisition, house.leases());
            }
        });
    }
}
