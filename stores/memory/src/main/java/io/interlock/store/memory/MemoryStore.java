package io.interlock.store.memory;

import io.interlock.DurationText;
import io.interlock.EvictAnswer;
import io.interlock.InvalidSettingException;
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
 * Leases in the memory of this process: the reference for what every store does, and the store for tests and for programs
 * that are one process. Exclusion, tokens and leases reach as far as the process and end with it.
 *
 * <p>Safe for use by many threads. Nobody waits for somebody who uses other keys.
 */
public final class MemoryStore implements LeaseStore {

    /** The longest lease unless said otherwise. */
    public static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);

    static final String NAME = "memory";

    private final Environment environment;
    private final LeaseTable table;
    private final Watchers watchers;
    private final WakeUps wakeUps;
    private volatile boolean closed;

    /** An empty store of its own, with leases of up to {@link #DEFAULT_MAX_LEASE}. */
    public MemoryStore(Environment environment) {
        this(environment, DEFAULT_MAX_LEASE);
    }

    /** An empty store of its own, with leases of up to {@code maxLease}. */
    public MemoryStore(Environment environment, Duration maxLease) {
        this(environment, new LeaseTable(new StoreClock(environment), checked(maxLease)), new Watchers());
    }

    MemoryStore(Environment environment, LeaseTable table, Watchers watchers) {
        this.environment = environment;
        this.table = table;
        this.watchers = watchers;
        wakeUps = new WakeUps(environment, watchers);
    }

    /** Another client of the same leases, as a second process would be; each is closed for itself. */
    public MemoryStore anotherClient() {
        return new MemoryStore(environment, table, watchers);
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                NAME, StoreCapabilities.Reach.PROCESS, true, table.maxLease(), Duration.ofNanos(1));
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(table.maxLease()));
        return answer(requests, table::acquire);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        // A lease renewed beyond maxLease would outlive the quiet period that is meant to outlast it.
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(table.maxLease()));
        return answer(requests, table::renew);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return answer(requests, request -> {
            ReleaseAnswer answer = table.release(request);
            if (!(answer instanceof ReleaseAnswer.Gone)) {
                watchers.wake(request.key());
            }
            return answer;
        });
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        requireOpen();
        return table.evict(request);
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        requireOpen();
        return keys.stream().map(table::find).toList();
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        requireOpen();
        List<LeaseRecord> found = table.leases()
                .filter(lease -> query.matches(lease.key()))
                .sorted(Comparator.comparing(LeaseRecord::key))
                .limit(query.limit() + 1L)
                .toList();
        return LeasePage.of(found, query.limit());
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        requireOpen();
        List<LeaseRecord> cleared = table.sweep(limit);
        cleared.forEach(lease -> watchers.wake(lease.key()));
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        requireOpen();
        return table.bumpEpoch();
    }

    @Override
    public ChangeFeed changes() {
        return wakeUps;
    }

    @Override
    public void close() {
        closed = true;
        wakeUps.close();
    }

    @Override
    public String toString() {
        return NAME + ":";
    }

    private <Q, A> Answers<A> answer(List<Q> requests, Function<Q, A> step) {
        requireOpen();
        return Answers.of(requests.stream().map(step).toList());
    }

    private static Duration checked(Duration maxLease) {
        if (maxLease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is below the shortest lease of " + DurationText.format(LeaseTerms.MIN_TTL),
                    "leave it out for " + DurationText.format(DEFAULT_MAX_LEASE));
        }
        return maxLease;
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreUnavailableException(NAME, "is closed");
        }
    }
}
