package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkFeed;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups from a number that SQLite changes with every commit, so nobody writes to be heard. While somebody watches, a
 * thread looks at it every {@link #EVERY}; if it changed, those are woken whose key has no lease any more or whose holder was asked
 * to stop, and those whose tenant has work that was not there before. A release in this process wakes waiters at once. Safe for use by many threads.
 */
final class DataVersionFeed implements ChangeFeed, WorkFeed, AutoCloseable {

    static final Duration EVERY = Duration.ofMillis(25);

    private static final Logger log = LoggerFactory.getLogger(DataVersionFeed.class);

    private final Lane lane;
    private final Environment environment;
    private final Watchers<LockKey> waiters = new Watchers<>();
    private final Watchers<Optional<String>> workers = new Watchers<>();
    private final Object guard = new Object();

    // All below is guarded by guard.
    private @Nullable Timers timers;
    private boolean looking;
    private boolean closed;

    // These belong to the feed's thread.
    private @Nullable Session seenOn;
    private long seen;
    private long lastRecord;
    private boolean failing;

    /**
     * What there is to tell.
     *
     * @param keys those that have no lease any more, or whose holders were asked to stop
     * @param work tenants with new work, and the empty one that stands for any
     */
    private record News(Set<LockKey> keys, Set<Optional<String>> work) {}

    DataVersionFeed(Lane lane, Environment environment) {
        this.lane = lane;
        this.environment = environment;
    }

    @Override
    public Subscription watch(LockKey key, Runnable lookAgain) {
        return watch(waiters, key, lookAgain);
    }

    @Override
    public Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return watch(workers, Optional.ofNullable(tenant), lookAgain);
    }

    /** Wakes those who watch one of {@code keys}, on the feed's thread. */
    void wake(Collection<LockKey> keys) {
        synchronized (guard) {
            if (timers != null && !closed && !waiters.isEmpty()) {
                Set<LockKey> free = new HashSet<>(keys);
                timers.after(Duration.ZERO, () -> waiters.call(free));
            }
        }
    }

    @Override
    public void close() {
        synchronized (guard) {
            closed = true;
            waiters.clear();
            workers.clear();
            if (timers != null) {
                timers.close();
            }
        }
        lane.close();
    }

    private <K> Subscription watch(Watchers<K> watchers, K what, Runnable lookAgain) {
        synchronized (guard) {
            if (closed) {
                return () -> {};
            }
            Subscription watch = watchers.add(what, lookAgain);
            lookSoon();
            return watch;
        }
    }

    private void lookSoon() {
        if (!looking && !closed && !(waiters.isEmpty() && workers.isEmpty())) {
            if (timers == null) {
                timers = environment.timers("interlock-sqlite-feed");
            }
            looking = true;
            timers.after(EVERY, this::look);
        }
    }

    private void look() {
        try {
            News news = lane.read(this::news);
            waiters.call(news.keys());
            workers.call(news.work());
            failing = false;
        } catch (StoreUnavailableException failure) {
            if (!failing && !isClosed()) {
                log.warn("no wake-ups for now; waiters look by themselves: {}", failure.getMessage());
            }
            failing = true;
            seenOn = null;
        } finally {
            synchronized (guard) {
                looking = false;
                lookSoon();
            }
        }
    }

    private News news(Session session) throws SQLException {
        long version = version(session);
        // The number means something only to the connection that read it.
        boolean known = session == seenOn;
        if (known && version == seen) {
            return new News(Set.of(), Set.of());
        }
        seenOn = session;
        seen = version;
        // Asked for after the number: whoever begins to watch later also looks later than it was read.
        Set<LockKey> changed = freed(session);
        if (known) {
            changed.addAll(new AuditTable(session).stopsSince(lastRecord));
        }
        return new News(changed, work(session, known));
    }

    private Set<LockKey> freed(Session session) throws SQLException {
        LeaseTable leases = new LeaseTable(session);
        Set<LockKey> freed = new HashSet<>();
        for (LockKey key : waiters.watched()) {
            if (leases.find(key) == null) {
                freed.add(key);
            }
        }
        return freed;
    }

    private Set<Optional<String>> work(Session session, boolean known) throws SQLException {
        AuditTable audit = new AuditTable(session);
        Set<Optional<String>> work = new HashSet<>();
        // At first nobody knows what is new: whoever has work looks.
        Set<String> tenants = known ? audit.tenantsWithWorkSince(lastRecord) : new PendingTable(session).tenants();
        tenants.forEach(tenant -> work.add(Optional.of(tenant)));
        if (!work.isEmpty()) {
            work.add(Optional.empty());
        }
        lastRecord = audit.last();
        return work;
    }

    private static long version(Session session) throws SQLException {
        try (ResultSet row = session.prepare("PRAGMA data_version").executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private boolean isClosed() {
        synchronized (guard) {
            return closed;
        }
    }
}
