package io.interlock.store.sql;

import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.spi.Watchers;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups for databases that send none. While there are watchers, a thread looks every {@link #EVERY}, in one round trip, at
 * the rows of the watched keys and at the last records of the audit log: a stop that was asked for and work that appeared are
 * in it. Where a database says for less whether anything has changed, it is asked first. Nothing is written to be heard. What
 * happens in this process wakes its watchers at once.
 *
 * <p>Safe for use by many threads.
 */
public final class PollingFeed implements SqlStore.Feed {

    /** How long it waits between two looks; longer if very many keys are watched. */
    static final Duration EVERY = Duration.ofMillis(25);

    private static final Logger log = LoggerFactory.getLogger(PollingFeed.class);

    private static final int KEYS_PER_MILLISECOND = 10;

    /** For how many looks a record may come to light after one with a greater number. */
    private static final int LATE_LOOKS = 4;

    private static final String LAST_RECORD = "SELECT coalesce(max(a.sequence), 0) FROM ${t:audit} AS a";
    private static final String RECORDS = """
            SELECT a.sequence, a.tenant, a.name, a.action FROM ${t:audit} AS a
             WHERE a.sequence > ?
               AND (a.state_after = 'PENDING' OR a.action IN ('resumed', 'stop-requested', 'evicted'))""";
    private static final String KEYS = """
            SELECT l.tenant, l.name, l.lease_id, l.token, l.reserved_for, l.reserved_until""" + KeyRow.FROM_KEYS;
    private static final String WORK = "SELECT DISTINCT q.tenant FROM ${t:open_run} AS q WHERE q.claimable = 1";

    private final Database database;
    private final BooleanSupplier mayHaveChanged;
    private final Environment environment;
    private final String name;
    private final Watchers<LockKey> waiters = new Watchers<>();
    private final Watchers<Optional<String>> workers = new Watchers<>();
    private final Object guard = new Object();

    // All below is guarded by guard.
    private @Nullable Timers timers;
    private boolean looking;
    private boolean closed;

    // These belong to the feed's thread.
    private final Map<LockKey, KeyFacts> knownKeys = new HashMap<>();
    private final Deque<Long> lastRecords = new ArrayDeque<>();
    private final Set<Long> knownRecords = new HashSet<>();
    private boolean failing;
    private volatile int watchedKeys;

    /**
     * A feed.
     *
     * @param database what is looked at; its connections should not be those that new work waits for
     * @param mayHaveChanged whether anything in the database may have changed since it was last asked; true at first, and always
     *     where a database does not know
     * @param name of its thread
     */
    public PollingFeed(Database database, BooleanSupplier mayHaveChanged, Environment environment, String name) {
        this.database = database;
        this.mayHaveChanged = mayHaveChanged;
        this.environment = environment;
        this.name = name;
    }

    /** What matters of a key. The token tells a lease from the one before, also if neither was seen. */
    private record KeyFacts(
            boolean free, long token, @Nullable String reservedFor, long reservedUntil) {

        static final KeyFacts UNUSED = new KeyFacts(true, 0, null, 0);
    }

    /** A record of the audit log that may concern a watcher. */
    private record News(long number, LockKey key, boolean stop) {}

    private record Found(Map<LockKey, KeyFacts> keys, List<News> news, Set<String> work, long last) {}

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
            try {
                lookSoon();
            } catch (RuntimeException | Error noThread) {
                watch.close();
                throw noThread;
            }
            return watch;
        }
    }

    private void lookSoon() {
        if (!looking && !closed && !(waiters.isEmpty() && workers.isEmpty())) {
            if (timers == null) {
                timers = environment.timers(name);
            }
            timers.after(EVERY.plusMillis(watchedKeys / KEYS_PER_MILLISECOND), this::look);
            looking = true;
        }
    }

    private void look() {
        try {
            if (mayHaveChanged.getAsBoolean()) {
                tell(find(waiters.watched(), !workers.isEmpty()));
            }
            failing = false;
        } catch (InterlockException failure) {
            if (!failing && !isClosed()) {
                log.warn("no wake-ups for now; waiters look by themselves: {}", failure.getMessage());
            }
            failing = true;
        } finally {
            if (failing || (waiters.isEmpty() && workers.isEmpty())) {
                // The next look begins anew.
                lastRecords.clear();
                knownKeys.clear();
            }
            watchedKeys = knownKeys.size();
            synchronized (guard) {
                looking = false;
                lookSoon();
            }
        }
    }

    private Found find(Set<LockKey> keys, boolean work) {
        Long since = lastRecords.peekFirst();
        return database.peek(transaction -> {
            Trip trip = transaction.trip();
            // Before the rest: what is added meanwhile is seen now or the next time.
            Trip.Answer<Long> last = trip.query(LAST_RECORD, Trip.NUMBER);
            Trip.Answer<List<News>> records = since == null ? null : trip.list(RECORDS, PollingFeed::readRecord, since);
            // At first it is not known what is new: all tenants with work count.
            Set<String> atFirst = new HashSet<>();
            if (since == null && work) {
                trip.query(WORK, Trip.forEach(row -> atFirst.add(row.getString(1))));
            }
            Map<LockKey, KeyFacts> found = new HashMap<>();
            if (!keys.isEmpty()) {
                trip.query(KEYS, Trip.forEach(row -> found.put(DueKeys.key(row), readKey(row))), Rows.ofKeys(keys));
            }
            trip.run();
            keys.forEach(key -> found.putIfAbsent(key, KeyFacts.UNUSED));
            return new Found(found, records == null ? List.of() : records.get(), atFirst, last.get());
        });
    }

    private static KeyFacts readKey(ResultSet row) throws SQLException {
        return new KeyFacts(row.getString(3) == null, row.getLong(4), row.getString(5), row.getLong(6));
    }

    private void tell(Found found) {
        Set<LockKey> changed = new HashSet<>();
        found.keys().forEach((key, facts) -> {
            if (facts.free() && !facts.equals(knownKeys.get(key))) {
                changed.add(key);
            }
        });
        Set<String> tenants = new HashSet<>(found.work());
        for (News news : found.news()) {
            if (knownRecords.add(news.number())) {
                if (news.stop()) {
                    changed.add(news.key());
                } else {
                    tenants.add(news.key().tenant());
                }
            }
        }
        knownKeys.clear();
        knownKeys.putAll(found.keys());
        lastRecords.addLast(found.last());
        if (lastRecords.size() > LATE_LOOKS) {
            lastRecords.removeFirst();
        }
        long since = lastRecords.getFirst();
        knownRecords.removeIf(number -> number <= since);
        waiters.call(changed);
        workers.call(withAny(tenants));
    }

    /** What watchers of work subscribed to: these tenants, and any tenant if there are some. */
    private static Set<Optional<String>> withAny(Collection<String> tenants) {
        Set<Optional<String>> work = new HashSet<>();
        tenants.forEach(tenant -> work.add(Optional.of(tenant)));
        if (!work.isEmpty()) {
            work.add(Optional.empty());
        }
        return work;
    }

    private static News readRecord(ResultSet row) throws SQLException {
        String action = row.getString(4);
        boolean stop = action.equals("stop-requested") || action.equals("evicted");
        return new News(row.getLong(1), LockKey.of(row.getString(2), row.getString(3)), stop);
    }

    private boolean isClosed() {
        synchronized (guard) {
            return closed;
        }
    }
}
