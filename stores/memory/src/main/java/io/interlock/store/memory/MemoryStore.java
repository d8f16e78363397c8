package io.interlock.store.memory;

import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.access.SignIns;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.StoreUrl.StoreSettings;
import io.interlock.spi.run.AccessKeys;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Leases and runs in the memory of this process: the reference implementation of a store, and the store for tests and
 * single-process programs. Exclusion, tokens, leases and runs are limited to the process and end with it.
 *
 * <p>Thread-safe. Steps wait for each other. The
 * cost of a step does not depend on the number of keys and runs or the age of the store; only listings grow with the
 * number of keys.
 */
public final class MemoryStore implements RunStore {

    /** The default of the longest lease. */
    public static final Duration DEFAULT_MAX_LEASE = StoreSettings.DEFAULT_MAX_LEASE;

    /** The clock counts nanoseconds in 64 bits; longer leases might overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    static final String NAME = "memory";

    private final Environment environment;
    private final RunTable table;
    private final MemoryClient client;
    private final Parts parts;

    /** A new, empty store, with leases of up to {@link #DEFAULT_MAX_LEASE}. */
    public MemoryStore(Environment environment) {
        this(environment, DEFAULT_MAX_LEASE);
    }

    /** A new, empty store, with leases of up to {@code maxLease}. */
    public MemoryStore(Environment environment, Duration maxLease) {
        this(
                environment,
                new RunTable(
                        new StoreClock(environment),
                        StoreSettings.requireBetween("maxLease", maxLease, LeaseTerms.MIN_TTL, LONGEST),
                        environment.random()));
    }

    MemoryStore(Environment environment, RunTable table) {
        this.environment = environment;
        this.table = table;
        client = new MemoryClient(environment, table);
        RunRows rows = table.rows;
        parts = new Parts(
                new MemoryRuns(client),
                new MemoryWork(client),
                new MemoryQueries(client),
                new MemoryViews(client),
                client.exclusively(AuditLog.class, rows.audit),
                client.exclusively(RunNotes.class, rows.notes),
                new MemoryUpkeep(client),
                client.exclusively(AccessKeys.class, rows.access),
                client.exclusively(SignIns.class, rows.access));
    }

    /** Another client of the same store, like a second process; each is closed separately. */
    public MemoryStore anotherClient() {
        return new MemoryStore(environment, client.table());
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                NAME, StoreCapabilities.Reach.PROCESS, true, table.maxLease(), Duration.ofNanos(1), 1);
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(table.maxLease()));
        return client.answer(requests, table::acquire);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        // A lease renewed beyond maxLease would outlive the quiet period.
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(table.maxLease()));
        return client.answer(requests, table::renew);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return client.answer(requests, request -> {
            ReleaseAnswer answer = table.release(request);
            if (!(answer instanceof ReleaseAnswer.Gone)) {
                client.wake(request.key());
            }
            return answer;
        });
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        EvictAnswer answer = client.table().evict(request);
        client.wake(request.key());
        return answer;
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return keys.stream().map(client.table()::find).toList();
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        List<LeaseRecord> found = client.table()
                .leases()
                .filter(lease -> query.matches(lease.key()))
                .sorted(Comparator.comparing(LeaseRecord::key))
                .limit(query.limit() + 1L)
                .toList();
        return LeasePage.of(found, query.limit());
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = client.table().sweep(limit);
        cleared.forEach(lease -> client.wake(lease.key()));
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        return client.table().bumpEpoch();
    }

    @Override
    public ChangeFeed changes() {
        return (key, lookAgain) -> client.subscribe(table.watchers, key, lookAgain);
    }

    @Override
    public Parts parts() {
        return parts;
    }

    /** The way to the tables, for stores with other rules. */
    MemoryClient client() {
        return client;
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return NAME + ":";
    }
}
