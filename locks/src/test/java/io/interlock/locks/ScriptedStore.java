package io.interlock.locks;

import io.interlock.FencingToken;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireAnswer.Grant;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A small store that does what a script says: each operation runs a step before it takes effect and one after, which may
 * throw or hang, and may leave requests open. It records what it was asked.
 */
final class ScriptedStore implements LeaseStore {

    /** The store does not answer. */
    static final Runnable UNAVAILABLE = () -> {
        throw new StoreUnavailableException("scripted", "does not answer");
    };

    /** What happens around one kind of call. */
    static final class Script {
        volatile Runnable before = () -> {};
        volatile Runnable after = () -> {};

        /** From now on the store does not answer; nothing takes effect. */
        void fail() {
            before = UNAVAILABLE;
        }

        /** From now on the store does what it is asked, but its answer is lost. */
        void loseAnswers() {
            after = UNAVAILABLE;
        }

        void heal() {
            before = () -> {};
            after = () -> {};
        }
    }

    final Script acquiring = new Script();
    final Script renewing = new Script();
    final Script releasing = new Script();
    final Script finding = new Script();
    final List<List<AcquireRequest>> acquires = new CopyOnWriteArrayList<>();
    final List<List<RenewRequest>> renewals = new CopyOnWriteArrayList<>();
    final List<List<ReleaseRequest>> releases = new CopyOnWriteArrayList<>();
    final List<Map.Entry<LockKey, Runnable>> watchers = new CopyOnWriteArrayList<>();
    volatile boolean wakeUps = true;
    volatile Predicate<LockKey> leftOpen = key -> false;
    volatile boolean closed;
    volatile int sweeps;
    private final Map<LockKey, LeaseRecord> leases = new TreeMap<>();
    private final InstantSource clock;
    private long token;

    ScriptedStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                "scripted", StoreCapabilities.Reach.PROCESS, true, Duration.ofMinutes(5), Duration.ofMillis(1), 1);
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        acquires.add(requests);
        acquiring.before.run();
        List<AcquireAnswer> answers = new ArrayList<>();
        synchronized (this) {
            requests.forEach(request -> answers.add(acquire(request)));
        }
        acquiring.after.run();
        return Answers.of(answers);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        renewals.add(requests);
        renewing.before.run();
        List<@Nullable RenewAnswer> answers = new ArrayList<>();
        synchronized (this) {
            for (RenewRequest request : requests) {
                answers.add(requests.size() > 1 && leftOpen.test(request.key()) ? null : renew(request));
            }
        }
        renewing.after.run();
        return Answers.partly(answers);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        releases.add(requests);
        releasing.before.run();
        List<@Nullable ReleaseAnswer> answers = new ArrayList<>();
        synchronized (this) {
            for (ReleaseRequest request : requests) {
                answers.add(requests.size() > 1 && leftOpen.test(request.key()) ? null : release(request));
            }
        }
        requests.forEach(request -> wake(request.key()));
        releasing.after.run();
        return Answers.partly(answers);
    }

    @Override
    public synchronized EvictAnswer evict(EvictRequest request) {
        LeaseRecord lease = leases.get(request.key());
        if (lease == null || !lease.token().equals(request.expected())) {
            return new EvictAnswer.Mismatch(lease);
        }
        LeaseRecord evicted = copy(
                lease,
                lease.expiresAt(),
                new LeaseRecord.Eviction(request.actor().name(), request.reason(), clock.instant()));
        leases.put(request.key(), evicted);
        return new EvictAnswer.Evicted(evicted, evicted.expiresAt());
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        finding.before.run();
        return keys.stream().map(key -> Optional.ofNullable(current(key))).toList();
    }

    @Override
    public synchronized LeasePage list(LeaseQuery query) {
        return LeasePage.of(
                leases.keySet().stream()
                        .map(this::current)
                        .filter(lease -> lease != null)
                        .toList(),
                query.limit());
    }

    @Override
    public synchronized List<LeaseRecord> sweep(int limit) {
        sweeps++;
        List<LeaseRecord> cleared = new ArrayList<>();
        for (LockKey key : List.copyOf(leases.keySet())) {
            LeaseRecord lease = current(key);
            if (lease != null && lease.isExpired()) {
                cleared.add(lease);
                leases.remove(key);
            }
        }
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChangeFeed changes() {
        return (key, lookAgain) -> {
            Map.Entry<LockKey, Runnable> watcher = Map.entry(key, lookAgain);
            watchers.add(watcher);
            return () -> watchers.remove(watcher);
        };
    }

    @Override
    public void close() {
        closed = true;
    }

    /** The lease the store has for {@code key}, also if it has ended. */
    synchronized @Nullable LeaseRecord current(LockKey key) {
        LeaseRecord lease = leases.get(key);
        return lease == null ? null : copy(lease, lease.expiresAt(), lease.eviction());
    }

    /** Whether {@code key} is held. */
    boolean isHeld(LockKey key) {
        LeaseRecord lease = current(key);
        return lease != null && !lease.isExpired();
    }

    /** Says that {@code key} may be free. */
    void wake(LockKey key) {
        if (wakeUps) {
            watchers.stream()
                    .filter(each -> each.getKey().equals(key))
                    .forEach(each -> each.getValue().run());
        }
    }

    private AcquireAnswer acquire(AcquireRequest request) {
        List<Grant> grants = new ArrayList<>();
        for (LockKey key : request.keys()) {
            LeaseRecord lease = current(key);
            if (lease != null && lease.isLive() && lease.id().equals(request.id())) {
                grants.add(new Grant(lease, null));
                continue;
            }
            if (lease != null && !lease.isExpired()) {
                return new AcquireAnswer.Refused(new Refusal.Held(lease));
            }
            if (lease != null
                    && request.takeover().ask()
                    && !lease.token().equals(request.takeover().cleared().get(key))) {
                return new AcquireAnswer.Refused(new Refusal.AwaitsProbe(lease));
            }
            Instant now = clock.instant();
            grants.add(new Grant(
                    new LeaseRecord(
                            key,
                            request.id(),
                            request.holder(),
                            new FencingToken(++token),
                            now,
                            now.plus(request.terms().ttl()),
                            now,
                            null),
                    lease));
        }
        grants.forEach(grant -> leases.put(grant.lease().key(), grant.lease()));
        return new AcquireAnswer.Granted(grants);
    }

    private RenewAnswer renew(RenewRequest request) {
        LeaseRecord lease = current(request.key());
        if (lease == null || !lease.id().equals(request.id()) || !lease.token().equals(request.token())) {
            return new RenewAnswer.Lost(LossCause.GONE, lease);
        }
        if (!lease.isLive()) {
            return new RenewAnswer.Lost(lease.isExpired() ? LossCause.EXPIRED : LossCause.EVICTED, lease);
        }
        LeaseRecord renewed = copy(lease, clock.instant().plus(request.ttl()), null);
        leases.put(request.key(), renewed);
        return new RenewAnswer.Renewed(renewed);
    }

    private ReleaseAnswer release(ReleaseRequest request) {
        LeaseRecord lease = current(request.key());
        if (lease == null || !lease.id().equals(request.id()) || !lease.token().equals(request.token())) {
            return new ReleaseAnswer.Gone(lease);
        }
        leases.remove(request.key());
        return ReleaseAnswer.of(lease);
    }

    private LeaseRecord copy(LeaseRecord lease, Instant expiresAt, LeaseRecord.@Nullable Eviction eviction) {
        return new LeaseRecord(
                lease.key(),
                lease.id(),
                lease.holder(),
                lease.token(),
                lease.grantedAt(),
                expiresAt,
                clock.instant(),
                eviction);
    }
}
