package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.store.sql.Rows;
import io.interlock.store.sql.SqlStore;
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
 * Wake-ups from a number that SQLite changes with every commit, so nothing is written to be heard. While there are watchers, a
 * thread looks at it every {@link #EVERY}. If it changed, it wakes the watchers of keys that have no lease any more or whose
 * holder was asked to stop, and those of tenants with work that was not there before. What happens in this process wakes them at
 * once. Safe for use by many threads.
 */
final class DataVersionFeed implements SqlStore.Feed {

    static final Duration EVERY = Duration.ofMillis(25);

    private static final Logger log = LoggerFactory.getLogger(DataVersionFeed.class);

    private static final String LAST_RECORD = "SELECT coalesce(max(a.sequence), 0) FROM ${t:audit} AS a";
    private static final String STOPPED = """
            SELECT DISTINCT a.tenant, a.name FROM ${t:audit} AS a
             WHERE a.sequence > ? AND a.action IN ('stop-requested', 'evicted')""";
    private static final String FREE = """
            SELECT k.tenant, k.name FROM ${rows:k(tenant text, name text)}
              LEFT JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name WHERE l.lease_id IS NULL""";
    // Whatever makes work for workers is in the audit log: a run whose turn it is, or the end of a pause.
    private static final String NEW_WORK = """
            SELECT DISTINCT a.tenant FROM ${t:audit} AS a
             WHERE a.sequence > ? AND (a.state_after = 'PENDING' OR a.action = 'resumed')""";
    private static final String WORK = "SELECT DISTINCT q.tenant FROM ${t:open_run} AS q WHERE q.claimable = 1";

    private static final News NONE = new News(Set.of(), Set.of());

    private final ReopeningConnection connection;
    private final Environment environment;
    private final Watchers<LockKey> waiters = new Watchers<>();
    private final Watchers<Optional<String>> workers = new Watchers<>();
    private final Object guard = new Object();

    // All below is guarded by guard.
    private @Nullable Timers timers;
    private boolean looking;
    private boolean closed;

    // These belong to the feed's thread.
    private @Nullable FileConnection seenOn;
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

    DataVersionFeed(ReopeningConnection connection, Environment environment) {
        this.connection = connection;
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

    @Override
    public void keysChanged(Collection<LockKey> keys) {
        wake(waiters, new HashSet<>(keys));
    }

    @Override
    public void workAppeared(Collection<String> tenants) {
        wake(workers, withAny(tenants));
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
        synchronized (connection) {
            connection.close();
        }
    }

    // On the feed's thread, so that the caller goes on.
    private <K> void wake(Watchers<K> watchers, Set<K> news) {
        synchronized (guard) {
            if (timers != null && !closed && !watchers.isEmpty()) {
                timers.after(Duration.ZERO, () -> watchers.call(news));
            }
        }
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
            News news = news();
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

    private News news() {
        synchronized (connection) {
            return isClosed() ? NONE : connection.use(this::news);
        }
    }

    private News news(FileConnection open) throws SQLException {
        long version = open.query("PRAGMA data_version", rows -> rows.next() ? rows.getLong(1) : 0L);
        // The number means something only to the connection that read it.
        boolean known = open == seenOn;
        if (known && version == seen) {
            return NONE;
        }
        seenOn = open;
        seen = version;
        // Asked for after the number: a watcher that is added later also looks later than it was read.
        Set<LockKey> changed = freed(open);
        long last = open.query(LAST_RECORD, rows -> rows.next() ? rows.getLong(1) : 0L);
        if (known) {
            changed.addAll(open.query(STOPPED, DataVersionFeed::keys, lastRecord));
        }
        // At first it is not known what is new: all tenants with work count.
        Set<String> work = known
                ? open.query(NEW_WORK, DataVersionFeed::texts, lastRecord)
                : open.query(WORK, DataVersionFeed::texts);
        lastRecord = last;
        return new News(changed, withAny(work));
    }

    private Set<LockKey> freed(FileConnection open) throws SQLException {
        Rows watched = new Rows();
        waiters.watched().forEach(key -> watched.add(key.tenant(), key.name()));
        return watched.isEmpty() ? new HashSet<>() : open.query(FREE, DataVersionFeed::keys, watched);
    }

    /** What watchers of work hear of: these tenants, and any tenant if there are some. */
    private static Set<Optional<String>> withAny(Collection<String> tenants) {
        Set<Optional<String>> work = new HashSet<>();
        tenants.forEach(tenant -> work.add(Optional.of(tenant)));
        if (!work.isEmpty()) {
            work.add(Optional.empty());
        }
        return work;
    }

    private static Set<LockKey> keys(ResultSet rows) throws SQLException {
        Set<LockKey> found = new HashSet<>();
        while (rows.next()) {
            found.add(LockKey.of(rows.getString(1), rows.getString(2)));
        }
        return found;
    }

    private static Set<String> texts(ResultSet rows) throws SQLException {
        Set<String> found = new HashSet<>();
        while (rows.next()) {
            found.add(rows.getString(1));
        }
        return found;
    }

    private boolean isClosed() {
        synchronized (guard) {
            return closed;
        }
    }
}
