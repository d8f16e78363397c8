package io.interlock.store.memory;

import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.run.KeyView;
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
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.KeyViews;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LeaseRules;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.StepContext;
import io.interlock.spi.run.rules.StopRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Leases and runs in one key space. Every step loads the {@link KeyState} of its key, applies a rule and writes back the changes; its
 * cost does not depend on the number of keys and runs, past or present. Thread-safe: the monitor of the rows makes steps atomic. Other
 * keys that may start because of a step are settled afterwards, one by one.
 */
class RunTable {

    /** How many other keys one call settles. */
    static final int MOST_KEYS = 100;

    final StoreClock clock;
    final RunRows rows;

    /** The subscribers to work of a tenant, or of any tenant. */
    final Watchers<Optional<String>> work = new Watchers<>();

    /** The subscribers to keys that may have become free. */
    final Watchers<LockKey> watchers = new Watchers<>();

    private final Duration maxLease;
    private final RandomGenerator random;
    private int epoch;
    private Instant quietUntil = Instant.MIN;

    RunTable(StoreClock clock, Duration maxLease, RandomGenerator random) {
        this.clock = clock;
        this.maxLease = maxLease;
        this.random = random;
        rows = new RunRows(clock::now);
    }

    /** One atomic step on a key, which is settled first. */
    <T> T step(LockKey key, Function<KeyState, T> rule) {
        T answer = unsettled(key, state -> {
            Settlement.settle(state);
            return rule.apply(state);
        });
        fillPlaces(key.tenant());
        return answer;
    }

    /** One atomic step on a key whose rule settles it, now or before: otherwise the key might not be due any more. */
    <T extends @Nullable Object> T unsettled(LockKey key, Function<KeyState, T> rule) {
        return alone(rows -> {
            KeyState state = load(key);
            T answer = rule.apply(state);
            boolean more = rows.write(key, state);
            if (more || state.changes().runs().stream().anyMatch(run -> run.state() == RunState.PENDING)) {
                wakeWorkers(key.tenant());
            }
            return answer;
        });
    }

    private KeyState load(LockKey key) {
        Instant now = now();
        StepContext context = new StepContext(
                key,
                now,
                new StepContext.Tokens(epoch, rows.leases.floor()),
                quietUntil,
                heardSince(now),
                rows.pauses.of(key.tenant()),
                rows.slots(key, now),
                rows::nextNumber,
                // Only a run that is there is tried again.
                rows.know(key) ? random.nextDouble() : 0);
        return new KeyState(context, seen(rows.read(key)));
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
        List<SweepAction> done = unsettled(key, Settlement::settle);
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
        alone(RunRows::tenantsThatWait).stream()
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
        for (int keys = 0; keys < MOST_KEYS; keys++) {
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

    /** The activity of a key; changes nothing. */
    Optional<KeyView> view(LockKey key) {
        return alone(rows -> KeyViews.view(
                load(key), rows.find(key).map(KeyRow::oldestWaiting).orElse(null)));
    }

    /** Callers that wait can report now. */
    void heard() {
        synchronized (rows) {
            rows.heard(now());
        }
    }

    boolean isQuiet() {
        return alone(rows -> now().isBefore(quietUntil));
    }

    Instant now() {
        return clock.now();
    }

    /** Reads or changes data exclusively. */
    <T extends @Nullable Object> T alone(Function<RunRows, T> step) {
        synchronized (rows) {
            return step.apply(rows);
        }
    }

    Duration maxLease() {
        return maxLease;
    }

    AcquireAnswer acquire(AcquireRequest request) {
        AcquireAnswer answer = alone(rows -> decide(request));
        request.keys().stream().map(LockKey::tenant).distinct().forEach(this::fillPlaces);
        return answer;
    }

    /** Grants all keys or none. */
    AcquireAnswer decide(AcquireRequest request) {
        List<AcquireAnswer.Grant> again = request.keys().stream()
                .flatMap(key -> LeaseRules.grantedBefore(load(key), request).stream())
                .toList();
        if (again.size() == request.keys().size()) {
            return new AcquireAnswer.Granted(again);
        }
        for (LockKey key : request.keys()) {
            Refusal refusal = this.<@Nullable Refusal>unsettled(key, state -> refusal(state, request.takeover()));
            if (refusal != null) {
                return new AcquireAnswer.Refused(refusal);
            }
        }
        return new AcquireAnswer.Granted(request.keys().stream()
                .map(key -> unsettled(key, state -> grant(state, request)))
                .toList());
    }

    /** Why the key cannot be granted now, or {@code null} if it can. */
    @Nullable
    Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
        return LeaseRules.refusal(state, takeover);
    }

    AcquireAnswer.Grant grant(KeyState state, AcquireRequest request) {
        return LeaseRules.grant(state, request);
    }

    RenewAnswer renew(RenewRequest request) {
        return step(request.key(), state -> renew(state, request));
    }

    RenewAnswer renew(KeyState state, RenewRequest request) {
        return LeaseRules.renew(state, request);
    }

    ReleaseAnswer release(ReleaseRequest request) {
        ReleaseAnswer answer = unsettled(request.key(), state -> {
            ReleaseAnswer released = release(state, request);
            Settlement.settle(state);
            return released;
        });
        fillPlaces(request.key().tenant());
        return answer;
    }

    ReleaseAnswer release(KeyState state, ReleaseRequest request) {
        return LeaseRules.release(state, request);
    }

    EvictAnswer evict(EvictRequest request) {
        return step(request.key(), state -> evict(state, request));
    }

    EvictAnswer evict(KeyState state, EvictRequest request) {
        return StopRules.evict(state, request);
    }

    Optional<LeaseRecord> find(LockKey key) {
        return alone(rows -> {
            LeaseRow lease = rows.leases.find(key);
            return lease == null ? Optional.empty() : Optional.of(lease.record(key, now()));
        });
    }

    /** Leases that have not ended, in no order. */
    Stream<LeaseRecord> leases() {
        return rows.leases.keys().stream().flatMap(key -> find(key).stream()).filter(lease -> !lease.isExpired());
    }

    /** Deletes expired leases whose lock delay is over. */
    List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = rows.leases.keys().stream()
                .filter(key -> find(key).filter(LeaseRecord::isExpired).isPresent())
                .flatMap(key -> unsettled(key, LeaseRules::clear).stream())
                .limit(limit)
                .toList();
        alone(RunRows::tenantsThatWait).forEach(this::fillPlaces);
        return cleared;
    }

    Instant bumpEpoch() {
        return alone(rows -> {
            epoch = TokenLayout.epochAfter(MemoryStore.NAME, epoch, rows.leases.highest());
            quietUntil = now().plus(maxLease);
            return quietUntil;
        });
    }
}
