package io.interlock.store.memory;

import io.interlock.EvictAnswer;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A client's view of the leases of a store in memory. Thread-safe; steps on different keys do not wait for each other.
 */
abstract class MemoryLeases implements LeaseStore {

    private final RunTable table;
    private final WakeUps wakeUps;
    private volatile boolean closed;

    MemoryLeases(Environment environment, RunTable table) {
        this.table = table;
        wakeUps = new WakeUps(environment);
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                MemoryStore.NAME, StoreCapabilities.Reach.PROCESS, true, table.maxLease(), Duration.ofNanos(1), 1);
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(table.maxLease()));
        return answer(requests, table::acquire);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        // A lease renewed beyond maxLease would outlive the quiet period.
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(table.maxLease()));
        return answer(requests, table::renew);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return answer(requests, request -> {
            ReleaseAnswer answer = table.release(request);
            if (!(answer instanceof ReleaseAnswer.Gone)) {
                wake(request.key());
            }
            return answer;
        });
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        EvictAnswer answer = table().evict(request);
        wake(request.key());
        return answer;
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return keys.stream().map(table()::find).toList();
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        List<LeaseRecord> found = table().leases()
                .filter(lease -> query.matches(lease.key()))
                .sorted(Comparator.comparing(LeaseRecord::key))
                .limit(query.limit() + 1L)
                .toList();
        return LeasePage.of(found, query.limit());
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = table().sweep(limit);
        cleared.forEach(lease -> wake(lease.key()));
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        return table().bumpEpoch();
    }

    @Override
    public ChangeFeed changes() {
        return (key, lookAgain) -> wakeUps.subscribe(table.watchers, key, lookAgain);
    }

    @Override
    public void close() {
        closed = true;
        wakeUps.close();
    }

    /** The keys of this store, unless this client is closed. */
    final RunTable table() {
        requireOpen();
        return table;
    }

    /** Wakes the waiters of {@code key}. */
    void wake(LockKey key) {
        table.watchers.wake(key);
    }

    WakeUps wakeUps() {
        return wakeUps;
    }

    /** Each request by itself, in order. */
    <Q, A> Answers<A> answer(List<Q> requests, Function<Q, A> step) {
        requireOpen();
        return Answers.of(requests.stream().map(step).toList());
    }

    void requireOpen() {
        if (closed) {
            throw new StoreUnavailableException(MemoryStore.NAME, "is closed");
        }
    }
}
