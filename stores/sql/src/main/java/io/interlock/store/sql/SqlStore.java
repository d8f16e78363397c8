package io.interlock.store.sql;

import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases and runs in the tables of one database. Rules decide in this process about keys whose rows are locked; the database's
 * clock counts, read after the lock. Safe for use by many threads; one per process is enough.
 */
public final class SqlStore implements RunStore {

    private static final Logger log = LoggerFactory.getLogger(SqlStore.class);

    private final Database database;
    private final Supplier<StoreCapabilities> capabilities;
    private final Feed feed;
    private final FastPath fastPath;
    private final KeySteps steps;
    private final DueKeys due;
    private final LeaseTable leases;
    private final Parts parts;
    private final AtomicBoolean filling = new AtomicBoolean();

    /** Wake-ups, in both directions. */
    public interface Feed extends ChangeFeed, AutoCloseable {

        /** As {@link WorkSteps#watchWork}. */
        Subscription watchWork(@Nullable String tenant, Runnable lookAgain);

        /** These keys may have become free, or their holders were asked to stop. */
        void keysChanged(Collection<LockKey> keys);

        /** Workers of these tenants may find work. */
        void workAppeared(Collection<String> tenants);

        @Override
        void close();
    }

    /**
     * A store.
     *
     * @param fastPath grants and frees bare leases in one statement
     */
    public SqlStore(
            Database database,
            Supplier<StoreCapabilities> capabilities,
            Feed feed,
            FastPath fastPath,
            Environment environment) {
        this.database = database;
        this.capabilities = capabilities;
        this.feed = feed;
        this.fastPath = fastPath;
        StoredRuns stored = new StoredRuns(environment.ticker());
        steps = new KeySteps(database, stored, environment.random(), feed, this::fillPlaces);
        due = new DueKeys(database, steps);
        PauseSteps pauses = new PauseSteps(database, steps, feed);
        leases = new LeaseTable(database, steps);
        parts = new Parts(
                new SqlRuns(database, capabilities, stored, steps, pauses),
                new SqlWork(database, stored, feed, steps, due, pauses, environment.ticker()),
                new RunLists(database, stored, steps),
                new RunViewsTable(database, stored),
                new AuditTable(database),
                new NoteTable(database),
                new SqlUpkeep(database, leases, due, pauses, environment.ticker()),
                new AccessKeyTable(database),
                new SignInTable(database));
    }

    // The steps that fill places have limits of their own to look at; they must not call each other.
    private void fillPlaces(Collection<String> tenants) {
        if (!filling.compareAndSet(false, true)) {
            return;
        }
        try {
            due.fillPlaces(tenants, 10);
        } catch (StoreUnavailableException later) {
            // The request that freed the place is answered; a sweep finds the place.
            log.debug("store {}: places under a limit were not given away at once", database.store(), later);
        } finally {
            filling.set(false);
        }
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities.get();
    }

    private Duration maxLease() {
        return capabilities.get().maxLease();
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(maxLease()));
        // A request for several keys that is refused needs no more than a look.
        Predicate<AcquireRequest> looks =
                request -> database.hasOneWriter() || request.keys().size() > 1;
        return database.together(() ->
                fastPath.acquire(requests, (left, alone) -> steps.lookFirst(left, alone, looks, LeaseSteps.ACQUIRE)));
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        // A lease renewed beyond maxLease would outlive the quiet period that is meant to outlast it.
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(maxLease()));
        return database.together(() -> fastPath.renew(
                requests, (left, alone) -> steps.answer(Database.Lane.URGENT, left, LeaseSteps.RENEW, alone)));
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return database.together(() -> fastPath.release(
                requests, (left, alone) -> steps.answer(Database.Lane.URGENT, left, LeaseSteps.RELEASE, alone)));
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        return steps.answerOne(request, LeaseSteps.EVICT);
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return leases.find(keys);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return leases.list(query);
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        return leases.sweep(limit);
    }

    @Override
    public Instant bumpEpoch(String reason) {
        return leases.bumpEpoch(reason);
    }

    @Override
    public ChangeFeed changes() {
        return feed;
    }

    @Override
    public Parts parts() {
        return parts;
    }

    @Override
    public void close() {
        feed.close();
        database.close();
    }

    @Override
    public String toString() {
        return database.store();
    }
}
