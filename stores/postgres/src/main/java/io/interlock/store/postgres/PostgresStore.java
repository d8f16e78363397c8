package io.interlock.store.postgres;

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
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.store.jdbc.SchemaMode;
import io.interlock.store.jdbc.TableNames;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases and runs in PostgreSQL. Exclusion reaches as far as the database does, the server's clock decides, and what was granted
 * survives the death of any process including the server's.
 *
 * <p>If the server turns out to be another one than before (a promoted standby, a restored backup), leases may be missing
 * in it: then nothing is granted until all of them must be over, and tokens are lifted above all given out before. Use
 * synchronous replication if a failover must not cost that time.
 *
 * <p>Safe for use by many threads; one per process is enough. It uses up to eight connections.
 */
public final class PostgresStore extends PostgresRuns {

    private static final Logger log = LoggerFactory.getLogger(PostgresStore.class);
    private static final int MOST_REATTACHMENTS = 3;

    private final PostgresSettings settings;
    private final Attachment attachment;
    private final Lane steps;
    private final Lane renewals;
    private final Watchers watchers = new Watchers();
    private final Listener listener;
    private final Announcer announcer;
    private final WorkHints hints;
    private final RunCall runs;
    private final LostRuns lostRuns;
    private final Runnable pools;
    private volatile boolean closed;

    private PostgresStore(
            PostgresSettings settings, Attachment attachment, Connections connections, Environment environment) {
        this.settings = settings;
        this.attachment = attachment;
        steps = new Lane(connections.steps(), settings, environment);
        renewals = new Lane(connections.renewals(), settings, environment);
        listener = new Listener(connections.single(), settings, environment, watchers);
        announcer = new Announcer(connections.single(), settings, environment, watchers);
        hints = new WorkHints(announcer);
        runs = new RunCall(settings, hints);
        lostRuns = new LostRuns(environment.ticker());
        pools = connections.close();
    }

    /** Where connections come from: two pools, single ones, and how to close the pools. */
    private record Connections(DataSource steps, DataSource renewals, DataSource single, Runnable close) {}

    /**
     * A store on connections that somebody else makes and pools, in schema {@code public} with the prefix {@value
     * io.interlock.store.jdbc.TableNames#DEFAULT_PREFIX}; see {@link #on(DataSource, String, String, SchemaMode,
     * Environment)}.
     */
    public static PostgresStore on(DataSource connections) {
        return on(connections, "public", TableNames.DEFAULT_PREFIX, SchemaMode.APPLY, Environment.system());
    }

    /**
     * A store on connections that somebody else makes and pools. It borrows one for each call, and keeps one for wake-ups
     * from the first waiter on and one to send them; give the pool enough for that, and closing this leaves it open. Its
     * connections must allow {@code READ COMMITTED} and writing, and should have a connect timeout.
     *
     * @throws io.interlock.UnsafeStoreException if the database must not be used as it is
     * @throws StoreUnavailableException if it does not answer
     */
    public static PostgresStore on(
            DataSource connections, String schema, String prefix, SchemaMode migrate, Environment environment) {
        PostgresSettings settings = new PostgresSettings(
                "postgresql (given connections)",
                new TableNames(schema, prefix),
                migrate,
                PostgresSettings.DEFAULT_MAX_LEASE,
                PostgresSettings.DEFAULT_TIMEOUT);
        Attachment attachment = new Attachment(settings);
        new Opening(settings, attachment, environment).run(connections);
        return new PostgresStore(
                settings, attachment, new Connections(connections, connections, connections, () -> {}), environment);
    }

    static PostgresStore open(PostgresUrl url, PostgresSettings settings, Environment environment) {
        DataSource raw = url.dataSource(settings);
        Attachment attachment = new Attachment(settings);
        new Opening(settings, attachment, environment).run(raw);
        AttachingDataSource attached = new AttachingDataSource(raw, attachment, settings, environment);
        Pools pools = new Pools(attached, settings, environment);
        return new PostgresStore(
                settings, attachment, new Connections(pools.steps(), pools.renewals(), raw, pools::close), environment);
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                settings.store(), StoreCapabilities.Reach.NETWORK, true, attachment.maxLease(), Duration.ofNanos(1000));
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(attachment.maxLease()));
        if (requests.isEmpty()) {
            return Answers.of(List.of());
        }
        AcquireStep step = new AcquireStep(settings, hints, requests);
        return AcquireStep.answers(
                requests.size(), granted(step, row -> row.verdict().equals("reattach")));
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        // A lease renewed beyond maxLease would outlive the quiet period that is meant to outlast it.
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(attachment.maxLease()));
        return requests.isEmpty()
                ? Answers.of(List.of())
                : HolderSteps.renewAnswers(call(renewals, new HolderSteps(settings, hints).renew(requests)));
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        if (requests.isEmpty()) {
            return Answers.of(List.of());
        }
        AtomicInteger attempts = new AtomicInteger();
        List<AnswerRow> rows = call(steps, counting(attempts, new HolderSteps(settings, hints).release(requests)));
        // An attempt without an answer may have released, and then only it saw the mark of whoever waits.
        announcer.announce(rows.stream()
                .filter(row -> attempts.get() > 1 || HolderSteps.leavesWaiters(row))
                .map(row -> KeyHash.of(requests.get(row.request()).key()))
                .toList());
        Answers<ReleaseAnswer> answers = HolderSteps.releaseAnswers(rows);
        // Gone because of our own first attempt, or gone before? "Your lease was lost" must not be a guess.
        if (attempts.get() > 1 && rows.stream().anyMatch(row -> row.verdict().equals("gone"))) {
            throw new StoreUnavailableException(
                    settings.store(),
                    "lost the connection during a release; whether the lease had ended before is not known");
        }
        return answers;
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        AtomicInteger attempts = new AtomicInteger();
        AnswerRow row = call(steps, counting(attempts, new AdminSteps(settings, hints).evict(request)))
                .get(0);
        announcer.announce(List.of(KeyHash.of(request.key())));
        if (attempts.get() > 1 && row.verdict().equals("mismatch")) {
            throw unclear("the lease of " + request.key() + " was taken away; whether it was there");
        }
        return row.verdict().equals("evicted")
                ? new EvictAnswer.Evicted(row.requireLease(), row.requireUntil())
                : new EvictAnswer.Mismatch(row.lease());
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return AdminSteps.found(keys.size(), call(steps, new AdminSteps(settings, hints).find(keys)));
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        List<AnswerRow> rows = call(steps, new AdminSteps(settings, hints).list(query));
        return LeasePage.of(rows.stream().map(AnswerRow::requireLease).toList(), query.limit());
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        List<AnswerRow> rows = call(steps, new AdminSteps(settings, hints).sweep(limit));
        announcer.announce(rows.stream()
                .filter(HolderSteps::leavesWaiters)
                .map(row -> KeyHash.of(row.requireKey()))
                .toList());
        return rows.stream().map(AnswerRow::requireLease).toList();
    }

    @Override
    public Instant bumpEpoch(String reason) {
        Instant until = call(steps, new AdminSteps(settings, hints).bumpEpoch());
        log.warn("store {}: a new epoch begins, nothing is granted before {}: {}", settings.store(), until, reason);
        return until;
    }

    @Override
    public ChangeFeed changes() {
        return listener;
    }

    @Override
    public void close() {
        closed = true;
        announcer.close();
        listener.close();
        pools.run();
    }

    @Override
    public String toString() {
        return settings.store();
    }

    /** Runs a step that grants; first ties the store to the server, if it turns out to be another one than before. */
    @Override
    <R> List<R> granted(Lane.Step<List<R>> step, Predicate<R> asksToReattach) {
        for (int i = 0; i < MOST_REATTACHMENTS; i++) {
            List<R> rows = call(steps, step);
            if (rows.stream().noneMatch(asksToReattach)) {
                return rows;
            }
            call(steps, (connection, patience) -> {
                attachment.requireSafe(connection);
                attachment.attach(connection);
                return rows;
            });
        }
        throw new StoreUnavailableException(
                settings.store(), "is on another server at every attempt; is a failover under way?");
    }

    @Override
    void wake(List<Long> hashes) {
        announcer.announce(hashes);
    }

    @Override
    <T> T renewing(Lane.Step<T> step) {
        return call(renewals, step);
    }

    @Override
    boolean isHeard(long hash) {
        return watchers.anybodyHears(hash);
    }

    @Override
    <T> T ask(Lane.Step<T> step) {
        return call(steps, step);
    }

    @Override
    LostRuns lostRuns() {
        return lostRuns;
    }

    @Override
    RunCall calls() {
        return runs;
    }

    @Override
    Listener listener() {
        return listener;
    }

    private <T> T call(Lane lane, Lane.Step<T> step) {
        if (closed) {
            throw new StoreUnavailableException(settings.store(), "is closed");
        }
        return lane.call(step);
    }
}
