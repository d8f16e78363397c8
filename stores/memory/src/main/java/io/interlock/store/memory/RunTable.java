package io.interlock.store.memory;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.run.Pause;
import io.interlock.run.SweepAction;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.Watchers;
import io.interlock.spi.run.rules.BareLeaseRules;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LeaseRules;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Leases and runs in one key space. For a key without runs only the rules for leases apply, and its steps do not wait
 * for steps about runs. Every step about runs loads the {@link KeyState} of its key, settles it, applies a rule and
 * writes back the changes; its cost does not depend on the number of keys and runs, past or present. Thread-safe; steps
 * about runs wait for each other.
 *
 * <p>Locks are taken in this order: the slots of the keys, the latch of pauses, the monitor of the rows. A step locks
 * the slots of its own keys only; other keys that may start because of it are settled afterwards, one by one. In every step
 * the clock is read after the slots are locked, and the era after the clock: a grant that has missed a new era was therefore
 * made before it began, and ends within its quiet period.
 */
class RunTable {

    /** How many other keys one call settles. */
    static final int MOST_KEYS = 100;

    final Slots slots = new Slots();
    final StoreClock clock;
    final RunRows rows;

    /** The subscribers to work of a tenant, or of any tenant. */
    final Watchers<Optional<String>> work = new Watchers<>();

    /** The subscribers to keys that may have become free. */
    final Watchers<LockKey> watchers = new Watchers<>();

    /** Held by the claim in progress. */
    final Object claiming = new Object();

    private final Duration maxLease;
    private final RandomGenerator random;
    private final ReadWriteLock pausing = new ReentrantReadWriteLock();
    private volatile Era era = new Era(0, Long.MIN_VALUE);

    /** Tokens carry {@code epoch}, and nothing is granted before {@code quietUntil}. */
    private record Era(int epoch, long quietUntil) {}

    RunTable(StoreClock clock, Duration maxLease, RandomGenerator random) {
        this.clock = clock;
        this.maxLease = maxLease;
        this.random = random;
        rows = new RunRows(this::now);
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

    private KeyState load(Slot slot, @Nullable LeaseRow lease) {
        // First the clock, then the era.
        Instant now = now();
        Era era = this.era;
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

    void heard() {
        synchronized (rows) {
            rows.heard(now());
        }
    }

    boolean isQuiet() {
        long now = clock.now();
        return now < era.quietUntil();
    }

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

    boolean concernsRuns(LockKey key) {
        return rows.know(key) || rows.pauses.of(key.tenant()).stream().anyMatch(pause -> pause.covers(key));
    }

    Duration maxLease() {
        return maxLease;
    }

    AcquireAnswer acquire(AcquireRequest request) {
        AcquireAnswer answer = slots.with(request.keys(), locked -> decide(request, locked));
        request.keys().stream().map(LockKey::tenant).distinct().forEach(this::fillPlaces);
        return answer;
    }

    RenewAnswer renew(RenewRequest request) {
        RenewAnswer answer =
                slots.at(request.key(), slot -> renew(slot, request), new RenewAnswer.Lost(LossCause.GONE, null));
        fillPlaces(request.key().tenant());
        return answer;
    }

    ReleaseAnswer release(ReleaseRequest request) {
        ReleaseAnswer answer = slots.at(request.key(), slot -> release(slot, request), new ReleaseAnswer.Gone(null));
        fillPlaces(request.key().tenant());
        return answer;
    }

    EvictAnswer evict(EvictRequest request) {
        EvictAnswer answer = slots.at(request.key(), slot -> evict(slot, request), new EvictAnswer.Mismatch(null));
        fillPlaces(request.key().tenant());
        return answer;
    }

    Optional<LeaseRecord> find(LockKey key) {
        return slots.at(key, slot -> Optional.of(slot.record(clock.now())), Optional.empty());
    }

    /** Leases that have not ended, in no order. */
    Stream<LeaseRecord> leases() {
        return slots.all().stream()
                .map(slot -> slots.at(slot, s -> Optional.of(s.record(clock.now())), Optional.<LeaseRecord>empty()))
                .flatMap(Optional::stream)
                .filter(lease -> !lease.isExpired());
    }

    /** Deletes expired leases whose lock delay is over. */
    List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = slots.all().stream()
                .map(slot -> slots.at(slot, this::clearIfOver, Optional.<LeaseRecord>empty()))
                .flatMap(Optional::stream)
                .limit(limit)
                .toList();
        rows.tenantsThatWait().forEach(this::fillPlaces);
        return cleared;
    }

    synchronized Instant bumpEpoch() {
        long highest = slots.floor();
        for (Slot slot : slots.all()) {
            highest = Math.max(highest, slots.at(slot, Slot::token, 0L));
        }
        int epoch = TokenLayout.epochAfter(MemoryStore.NAME, era.epoch(), highest);
        // Twice: a step that missed the first read its clock before the second.
        era = new Era(epoch, StoreClock.after(clock.now(), maxLease));
        era = new Era(epoch, StoreClock.after(clock.now(), maxLease));
        return StoreClock.instant(era.quietUntil());
    }

    /** Grants locked slots, all or none. */
    AcquireAnswer decide(AcquireRequest request, List<Slot> locked) {
        // The whole step, so that no grant is in progress when a pause has been set.
        return whilePausesStand(() -> grantAll(request, locked));
    }

    private AcquireAnswer grantAll(AcquireRequest request, List<Slot> locked) {
        long now = clock.now();
        Era era = this.era;
        if (locked.stream().allMatch(slot -> slot.isLive(request.id(), now))) {
            return new AcquireAnswer.Granted(locked.stream()
                    .map(slot -> new AcquireAnswer.Grant(slot.record(now), null))
                    .toList());
        }
        if (now < era.quietUntil()) {
            return new AcquireAnswer.Refused(new Refusal.StoreRecovering(
                    request.keys().get(0), StoreClock.instant(now), StoreClock.instant(era.quietUntil())));
        }
        for (Slot slot : locked) {
            Refusal refusal = refusal(slot, request.takeover(), now);
            if (refusal != null) {
                return new AcquireAnswer.Refused(refusal);
            }
        }
        List<AcquireAnswer.Grant> grants = new ArrayList<>(locked.size());
        for (Slot slot : locked) {
            LeaseRecord takenOver = slot.isTaken() ? slot.record(now) : null;
            slot.grant(request, nextToken(slot, era.epoch(), now), now);
            grants.add(new AcquireAnswer.Grant(slot.record(now), takenOver));
        }
        return new AcquireAnswer.Granted(grants);
    }

    /** Why the key cannot be granted now, or {@code null} if it can. */
    @Nullable
    Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
        Refusal refusal =
                concernsRuns(slot.key()) ? step(slot, state -> BareLeaseRules.refusal(state, takeover)) : null;
        return refusal != null
                ? refusal
                : LeaseRules.refusal(slot.key(), slot.row(), takeover, StoreClock.instant(now));
    }

    /** A token greater than all earlier ones of the key. */
    FencingToken nextToken(Slot slot, int epoch, long now) {
        return TokenLayout.next(slot.token(), slots.floor(), epoch, StoreClock.instant(now));
    }

    /** Renews the lease of a locked slot, if id and token match and it is live. */
    RenewAnswer renew(Slot slot, RenewRequest request) {
        if (!rows.know(slot.key())) {
            return extend(slot, request);
        }
        boolean isRefused = step(slot, state -> ClaimRules.refusesRenewal(state, request.id(), request.token()));
        if (!slot.isTaken()) {
            slots.remove(slot);
            return new RenewAnswer.Lost(LossCause.GONE, null);
        }
        if (isRefused) {
            return new RenewAnswer.Lost(LossCause.OVERDUE, slot.record(clock.now()));
        }
        RenewAnswer answer = extend(slot, request);
        // The lease may end earlier than before, and then the key is due earlier.
        return apply(slot, state -> answer);
    }

    private RenewAnswer extend(Slot slot, RenewRequest request) {
        long now = clock.now();
        RenewAnswer.Lost lost = LeaseRules.loss(request, slot.row(), StoreClock.instant(now));
        if (lost != null) {
            return lost;
        }
        slot.extend(request.ttl(), now);
        return new RenewAnswer.Renewed(slot.record(now));
    }

    /** Frees a locked slot, if id and token match, even if the lease has ended, because its work has stopped. */
    ReleaseAnswer release(Slot slot, ReleaseRequest request) {
        LeaseRecord lease = slot.record(clock.now());
        if (!slot.isProvedBy(request.id(), request.token())) {
            return new ReleaseAnswer.Gone(lease);
        }
        if (!rows.know(slot.key())) {
            slots.remove(slot);
            return ReleaseAnswer.of(lease);
        }
        step(slot, state -> {
            FinishRules.stopped(state);
            return lease;
        });
        removeIfFree(slot);
        return ReleaseAnswer.of(lease);
    }

    EvictAnswer evict(Slot slot, EvictRequest request) {
        EvictAnswer answer = step(slot, state -> StopRules.evict(state, request));
        removeIfFree(slot);
        return answer;
    }

    /** Deletes the lease of a locked slot, if the key could be granted again. */
    Optional<LeaseRecord> clearIfOver(Slot slot) {
        LeaseRecord lease = slot.record(clock.now());
        boolean kept = rows.know(slot.key()) && step(slot, BareLeaseRules::keepsLease);
        if (slot.isTaken()) {
            if (kept || clock.now() < slot.opensAt() || slot.awaitsProbe()) {
                return Optional.empty();
            }
        }
        slots.remove(slot);
        // As seen before the step, which may have ended an attempt.
        return Optional.of(lease);
    }

    private void removeIfFree(Slot slot) {
        if (!slot.isTaken()) {
            slots.remove(slot);
        }
    }
}
