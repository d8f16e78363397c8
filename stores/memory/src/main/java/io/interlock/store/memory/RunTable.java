package io.interlock.store.memory;

import io.interlock.EvictAnswer;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.run.Pause;
import io.interlock.run.SweepAction;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.Watchers;
import io.interlock.spi.run.rules.BareLeaseRules;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.StepContext;
import io.interlock.spi.run.rules.StopRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Leases and runs in one key space. For a key without runs only the rules for leases apply, and its steps do not wait
 * for steps about runs. Every step about runs loads the {@link KeyState} of its key, settles it, applies a rule and
 * writes back the changes; its cost does not depend on the number of keys and runs, past or present. Thread-safe; steps
 * about runs wait for each other.
 *
 * <p>Locks are taken in this order: the slots of the keys, the latch of pauses, the monitor of the rows. A step locks
 * the slots of its own keys only; other keys that may start because of it are settled afterwards, one by one.
 */
class RunTable extends LeaseTable {

    /** How many other keys one call settles. */
    static final int MOST_KEYS = 100;

    final RunRows rows;

    /** The subscribers to work of a tenant, or of any tenant. */
    final Watchers<Optional<String>> work = new Watchers<>();

    /** The subscribers to keys that may have become free. */
    final Watchers<LockKey> watchers = new Watchers<>();

    /** Held by the claim in progress. */
    final Object claiming = new Object();

    private final RandomGenerator random;
    private final ReadWriteLock pausing = new ReentrantReadWriteLock();

    RunTable(StoreClock clock, Duration maxLease, RandomGenerator random) {
        super(clock, maxLease);
        this.random = random;
        rows = new RunRows(now());
    }

    /** One atomic step on a key, whether it has a lease or not. */
    <T> T step(LockKey key, Function<KeyState, T> rule) {
        T answer = slots.with(List.of(key), locked -> step(locked.get(0), rule));
        fillPlaces(key.tenant());
        return answer;
    }

    /** One atomic step on a locked slot, which its caller removes if it has no lease after it. */
    <T extends @Nullable Object> T step(Slot slot, Function<KeyState, T> rule) {
        return apply(slot, state -> {
            Settlement.settle(state);
            return rule.apply(state);
        });
    }

    /** One atomic step on a key that does not settle it first. */
    <T> T unsettled(LockKey key, Function<KeyState, T> rule) {
        return slots.with(List.of(key), locked -> apply(locked.get(0), rule));
    }

    /** One step on a locked slot that does not settle it first. */
    <T extends @Nullable Object> T apply(Slot slot, Function<KeyState, T> rule) {
        return whilePausesStand(() -> {
            synchronized (rows) {
                LeaseRow before = slot.row();
                KeyState state = load(slot, before);
                T answer = rule.apply(state);
                boolean more = rows.write(slot.key(), state);
                if (more || state.changes().runs().stream().anyMatch(run -> run.state() == RunState.PENDING)) {
                    wakeWorkers(slot.key().tenant());
                }
                LeaseRow after = state.lease().orElse(null);
                if (!Objects.equals(before, after)) {
                    slot.set(after);
                }
                return answer;
            }
        });
    }

    /** The state of a locked slot's key. */
    private KeyState load(Slot slot, @Nullable LeaseRow lease) {
        // As in every step: first the clock, then the era.
        Instant now = now();
        Era era = era();
        LockKey key = slot.key();
        StepContext context = new StepContext(
                key,
                now,
                new StepContext.Tokens(era.epoch(), slots.floor()),
                era.quietUntil() == Long.MIN_VALUE ? null : StoreClock.instant(era.quietUntil()),
                heardSince(now),
                rows.pauses.of(key.tenant()),
                rows.slots(key, now),
                rows::nextNumber,
                random.nextDouble());
        return new KeyState(context, seen(rows.read(key, lease, slot.token())));
    }

    /** Since when waiting callers could report. */
    Instant heardSince(Instant now) {
        return rows.heardSince(now);
    }

    /** The data of a key for the rules. */
    KeyRows seen(KeyRows rows) {
        return rows;
    }

    /** Settles a key, and returns the actions. */
    private List<SweepAction> settle(LockKey key) {
        List<SweepAction> done = slots.with(List.of(key), locked -> apply(locked.get(0), Settlement::settle));
        if (!done.isEmpty()) {
            watchers.callThoseOf(key);
        }
        return done;
    }

    /**
     * Settles up to {@code limit} due keys, and starts runs that wait for a free place.
     *
     * @param tenant the tenant of the keys, or {@code null} for all
     */
    List<SweepAction> settleDue(@Nullable String tenant, int limit) {
        List<LockKey> due = alone(rows -> {
            Instant now = now();
            rows.endPauses(tenant, now, limit);
            return rows.due(tenant, now, limit);
        });
        List<SweepAction> done = new ArrayList<>();
        due.forEach(key -> done.addAll(settle(key)));
        rows.tenantsThatWait().stream()
                .filter(waits -> tenant == null || tenant.equals(waits))
                .forEach(waits -> done.addAll(fillPlaces(waits)));
        return List.copyOf(done);
    }

    /** Settles the first keys of an ended pause. Claims and sweeps settle the others. */
    void settleAfter(Pause pause) {
        alone(rows -> rows.nextToSettle(pause, MOST_KEYS)).forEach(this::settle);
        fillPlaces(pause.tenant());
    }

    /** Gives free places under the tenant's limit to the keys that come first. */
    List<SweepAction> fillPlaces(String tenant) {
        List<SweepAction> done = new ArrayList<>();
        LockKey last = null;
        for (int keys = 0; keys < MOST_KEYS && rows.waitForPlaces(tenant); keys++) {
            LockKey next = alone(rows -> rows.nextForPlace(tenant, now())).orElse(null);
            if (next == null || next.equals(last)) {
                break;
            }
            done.addAll(settle(next));
            last = next;
        }
        return done;
    }

    /** Wakes workers of {@code tenant}; their claims wait until this step is done. */
    void wakeWorkers(String tenant) {
        work.callThoseOf(Optional.of(tenant));
        work.callThoseOf(Optional.empty());
    }

    /** Reads a key without changes, and when the first of its waiting runs was submitted. */
    <T> T look(LockKey key, BiFunction<KeyState, @Nullable Instant, T> look) {
        return slots.with(
                List.of(key),
                locked -> alone(rows -> {
                    Slot slot = locked.get(0);
                    return look.apply(load(slot, slot.row()), rows.oldestWaiting(key));
                }));
    }

    /** Callers could report just now. */
    void heard() {
        synchronized (rows) {
            rows.heard(now());
        }
    }

    /** Whether the store grants nothing now. */
    boolean isQuiet() {
        long now = clock.now();
        return now < era().quietUntil();
    }

    /** The store's time. */
    Instant now() {
        return StoreClock.instant(clock.now());
    }

    /** Reads or changes data that belongs to no key, exclusively. */
    <T extends @Nullable Object> T alone(Function<RunRows, T> step) {
        synchronized (rows) {
            return step.apply(rows);
        }
    }

    /** Changes the pauses while nothing is granted. */
    <T> T changePauses(Function<RunRows, T> change) {
        pausing.writeLock().lock();
        try {
            return alone(change);
        } finally {
            pausing.writeLock().unlock();
        }
    }

    /** A step during which no pause begins, and none is ended. */
    <T extends @Nullable Object> T whilePausesStand(Supplier<T> step) {
        pausing.readLock().lock();
        try {
            return step.get();
        } finally {
            pausing.readLock().unlock();
        }
    }

    /** Whether a key has runs or pauses. */
    boolean concernsRuns(LockKey key) {
        return rows.know(key) || rows.pauses.of(key.tenant()).stream().anyMatch(pause -> pause.covers(key));
    }

    @Override
    AcquireAnswer acquire(AcquireRequest request) {
        AcquireAnswer answer = super.acquire(request);
        request.keys().stream().map(LockKey::tenant).distinct().forEach(this::fillPlaces);
        return answer;
    }

    @Override
    RenewAnswer renew(RenewRequest request) {
        RenewAnswer answer = super.renew(request);
        fillPlaces(request.key().tenant());
        return answer;
    }

    @Override
    ReleaseAnswer release(ReleaseRequest request) {
        ReleaseAnswer answer = super.release(request);
        fillPlaces(request.key().tenant());
        return answer;
    }

    @Override
    List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = super.sweep(limit);
        rows.tenantsThatWait().forEach(this::fillPlaces);
        return cleared;
    }

    @Override
    AcquireAnswer decide(AcquireRequest request, List<Slot> locked) {
        // The whole step, so that no grant is in progress when a pause has been set.
        return whilePausesStand(() -> super.decide(request, locked));
    }

    @Override
    @Nullable
    Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
        if (concernsRuns(slot.key())) {
            Refusal refusal = step(slot, state -> BareLeaseRules.refusal(state, takeover));
            if (refusal != null) {
                return refusal;
            }
        }
        return super.refusal(slot, takeover, now);
    }

    @Override
    RenewAnswer renew(Slot slot, RenewRequest request) {
        if (!rows.know(slot.key())) {
            return super.renew(slot, request);
        }
        boolean isRefused = step(slot, state -> ClaimRules.refusesRenewal(state, request.id(), request.token()));
        if (!slot.isTaken()) {
            slots.remove(slot);
            return new RenewAnswer.Lost(LossCause.GONE, null);
        }
        if (isRefused) {
            return new RenewAnswer.Lost(LossCause.OVERDUE, slot.record(clock.now()));
        }
        RenewAnswer answer = super.renew(slot, request);
        // The lease may end earlier than before, and then the key is due earlier.
        return apply(slot, state -> answer);
    }

    @Override
    ReleaseAnswer release(Slot slot, ReleaseRequest request) {
        if (!rows.know(slot.key()) || !slot.isProvedBy(request.id(), request.token())) {
            return super.release(slot, request);
        }
        LeaseRecord lease = slot.record(clock.now());
        step(slot, state -> {
            FinishRules.stopped(state);
            return lease;
        });
        removeIfFree(slot);
        return ReleaseAnswer.of(lease);
    }

    EvictAnswer evict(EvictRequest request) {
        EvictAnswer answer = slots.at(request.key(), slot -> evict(slot, request), new EvictAnswer.Mismatch(null));
        fillPlaces(request.key().tenant());
        return answer;
    }

    /** Evicts the lease of a locked slot. */
    EvictAnswer evict(Slot slot, EvictRequest request) {
        EvictAnswer answer = step(slot, state -> StopRules.evict(state, request));
        removeIfFree(slot);
        return answer;
    }

    @Override
    Optional<LeaseRecord> clearIfOver(Slot slot) {
        if (!rows.know(slot.key())) {
            return super.clearIfOver(slot);
        }
        LeaseRecord lease = slot.record(clock.now());
        boolean kept = step(slot, BareLeaseRules::keepsLease);
        if (slot.isTaken()) {
            // As seen before the step, which may have ended an attempt.
            return kept ? Optional.empty() : super.clearIfOver(slot).map(cleared -> lease);
        }
        removeIfFree(slot);
        return Optional.of(lease);
    }

    private void removeIfFree(Slot slot) {
        if (!slot.isTaken()) {
            slots.remove(slot);
        }
    }
}
