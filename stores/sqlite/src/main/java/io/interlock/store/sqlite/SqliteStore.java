package io.interlock.store.sqlite;

import io.interlock.EvictAnswer;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.UnsafeStoreException;
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
import io.interlock.spi.TokenLayout;
import io.interlock.time.Environment;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases in one SQLite file, shared by any number of processes of one machine.
 *
 * <p>What was answered is on disk (write-ahead log, {@code synchronous=FULL}); a batch is one transaction and one sync. A
 * refusal only reads. Every write transaction begins as the only writer, and reads the clock after that. Any error of
 * SQLite is a {@link io.interlock.StoreUnavailableException}, never an answer about a key.
 *
 * <p>Time is the machine's time since boot: setting the wall clock neither shortens nor lengthens a lease, and after a
 * restart of the machine all leases are over, because all holders are.
 *
 * <p>The file is made with the permissions of the process's umask. Whoever can write to it can take every lease; whoever
 * can read it sees lease ids, which are secrets of their holders. Back it up with {@code VACUUM INTO}, never by copying.
 *
 * <p>This class is safe for use by many threads.
 */
public final class SqliteStore implements LeaseStore {

    private static final Logger log = LoggerFactory.getLogger(SqliteStore.class);

    private final StoreClock clock;
    private final StoreCapabilities capabilities;
    private final Lane writes;
    private final Lane renewals;
    private final Lane reads;
    private final DataVersionFeed feed;

    private SqliteStore(Connector connector, Environment environment, StoreClock clock, Duration maxLease) {
        this.clock = clock;
        this.capabilities = new StoreCapabilities(
                connector.store(), StoreCapabilities.Reach.MACHINE, true, maxLease, clock.precision());
        ReentrantLock writers = new ReentrantLock(true);
        this.writes = new Lane(connector, writers);
        this.renewals = new Lane(connector, writers);
        this.reads = new Lane(connector, writers);
        this.feed = new DataVersionFeed(new Lane(connector, writers), environment);
    }

    static SqliteStore open(SqliteSettings settings, Environment environment, HostClock host) {
        FileConnector connector = new FileConnector(settings, environment.ticker());
        StoreClock clock = new StoreClock(settings.store(), host, environment.clock());
        try (Session session = connector.openFirst()) {
            StoreState state = new Opening(settings, clock).run(session);
            return open(connector, environment, clock, Micros.duration(state.maxLease()));
        } catch (SQLException failure) {
            throw SqliteErrors.atOpening(settings.store(), failure);
        }
    }

    /** A store whose file is ready, reached in another way. */
    static SqliteStore open(Connector connector, Environment environment, StoreClock clock, Duration maxLease) {
        return new SqliteStore(connector, environment, clock, maxLease);
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(capabilities.maxLease()));
        List<@Nullable AcquireAnswer> answers = reads.read(session -> refuse(session, requests));
        if (answers.contains(null)) {
            step(writes, step -> {
                for (int i = 0; i < answers.size(); i++) {
                    if (answers.get(i) == null) {
                        answers.set(i, step.acquire(requests.get(i)));
                    }
                }
                return answers;
            });
        }
        return Answers.partly(answers);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(capabilities.maxLease()));
        return Answers.of(step(renewals, step -> each(requests, step::renew)));
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        List<ReleaseAnswer> answers = step(writes, step -> each(requests, step::release));
        feed.wake(requests.stream().map(ReleaseRequest::key).toList());
        return Answers.of(answers);
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        return step(writes, step -> step.evict(request));
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return reads.read(session -> {
            LeaseTable leases = new LeaseTable(session);
            List<@Nullable StoredLease> found = new ArrayList<>();
            for (LockKey key : keys) {
                found.add(leases.find(key));
            }
            long now = now(session);
            return found.stream()
                    .map(lease -> Optional.ofNullable(lease).map(there -> there.seenAt(now)))
                    .toList();
        });
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return reads.read(session -> {
            long now = now(session);
            List<LeaseRecord> found = new LeaseTable(session)
                    .list(query, now).stream().map(lease -> lease.seenAt(now)).toList();
            return LeasePage.of(found, query.limit());
        });
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        boolean nothing = reads.read(
                session -> new LeaseTable(session).over(now(session), 1).isEmpty());
        if (nothing) {
            return List.of();
        }
        List<LeaseRecord> cleared = step(writes, step -> step.sweep(limit));
        feed.wake(cleared.stream().map(LeaseRecord::key).toList());
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        StoreState state = step(writes, step -> {
            StoreState bumped = step.bumpEpoch();
            if (bumped.tokens().epoch() > TokenLayout.MAX_EPOCH) {
                throw new UnsafeStoreException(
                        capabilities.store(),
                        "has used all " + TokenLayout.MAX_EPOCH + " epochs, the last of them now",
                        "move to another store");
            }
            return bumped;
        });
        Instant quietUntil = Micros.moment(state.quietUntil());
        log.warn(
                "store {}: epoch {} begins, nothing is granted until {}: {}",
                capabilities.store(),
                state.tokens().epoch(),
                quietUntil,
                reason);
        return quietUntil;
    }

    @Override
    public ChangeFeed changes() {
        return feed;
    }

    @Override
    public void close() {
        feed.close();
        writes.close();
        renewals.close();
        reads.close();
    }

    private List<@Nullable AcquireAnswer> refuse(Session session, List<AcquireRequest> requests) throws SQLException {
        LeaseStep look = new LeaseStep(session, clock);
        List<@Nullable AcquireAnswer> answers = new ArrayList<>();
        for (AcquireRequest request : requests) {
            answers.add(look.refuse(request));
        }
        return answers;
    }

    private long now(Session session) throws SQLException {
        return clock.now(new StoreTable(session).read()).moment();
    }

    private <T> T step(Lane lane, StepWork<T> work) {
        return lane.write(session -> {
            LeaseStep step = new LeaseStep(session, clock);
            T result = work.run(step);
            step.finish();
            return result;
        });
    }

    private static <Q, A> List<A> each(List<Q> requests, RequestWork<Q, A> work) throws SQLException {
        List<A> answers = new ArrayList<>();
        for (Q request : requests) {
            answers.add(work.answer(request));
        }
        return Collections.unmodifiableList(answers);
    }

    @FunctionalInterface
    private interface StepWork<T> {
        T run(LeaseStep step) throws SQLException;
    }

    @FunctionalInterface
    private interface RequestWork<Q, A> {
        A answer(Q request) throws SQLException;
    }
}
