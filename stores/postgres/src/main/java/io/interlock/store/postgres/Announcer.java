package io.interlock.store.postgres;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.spi.Watchers;
import io.interlock.store.sql.ServerSettings;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends wake-ups by {@code NOTIFY}, after the release is committed, in a transaction of their own: a commit that notifies
 * takes a lock on the whole database server. Whatever gathers while one is being sent goes out as the next. Wake-ups about
 * work are sent at most every {@link #WORK_EVERY}: they say only that there is some, and a claim takes all it finds.
 *
 * <p>A wake-up for one client is followed by a look after {@link #SECOND_LOOK}: if no client has taken the key, because the one
 * that was woken is gone or no longer wants it, all others are woken.
 *
 * <p>A wake-up that cannot be sent is dropped: waiters poll as well. Thread and connection begin with the first. Safe for
 * use by many threads.
 */
final class Announcer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Announcer.class);

    /** Seventeen characters each; a payload is limited to 8000 bytes. */
    private static final int MOST_AT_ONCE = 400;

    // A wake-up needs not survive a crash, so it does not wait for the disk.
    private static final String NOTIFY =
            "SELECT set_config('synchronous_commit', 'off', true), pg_notify(w.channel, w.payload)"
                    + " FROM unnest(?, ?) AS w (channel, payload)";

    private static final Duration WORK_EVERY = Duration.ofMillis(5);

    static final Duration SECOND_LOOK = Duration.ofMillis(100);

    private final DataSource connections;
    private final ServerSettings settings;
    private final Environment environment;
    private final Watchers<Long> watchers;
    private final String stillFree;
    private final Set<WakeUp> gathered = new LinkedHashSet<>();
    private final Set<WakeUp> work = new LinkedHashSet<>();
    private long workDueAt;
    /** In the order of their time. */
    private final Map<LockKey, SecondLook> secondLooks = new LinkedHashMap<>();

    private @Nullable Thread thread;
    private boolean closed;

    Announcer(DataSource connections, ServerSettings settings, Environment environment, Watchers<Long> watchers) {
        this.connections = connections;
        this.settings = settings;
        this.environment = environment;
        this.watchers = watchers;
        this.workDueAt = environment.ticker().nanos();
        this.stillFree = "SELECT l.tenant, l.name FROM unnest(?, ?, ?) AS k (tenant, name, token) JOIN "
                + settings.names().table("lease") + " AS l ON l.tenant = k.tenant AND l.name = k.name"
                + " WHERE l.lease_id IS NULL AND l.token = k.token AND strpos(l.waiters, ',') > 0";
    }

    /**
     * A wake-up.
     *
     * @param client the client it is for, or empty for all
     * @param about the hash of what may have changed
     */
    record WakeUp(String client, long about) {

        static WakeUp ofAll(long about) {
            return new WakeUp("", about);
        }
    }

    /**
     * A key that a client may not have taken.
     *
     * @param key the key
     * @param token of the lease that was released; a later lease has a greater one
     * @param dueAt when to look
     */
    private record SecondLook(LockKey key, FencingToken token, long dueAt) {}

    /** Keys have changed. */
    void announce(Collection<WakeUp> wakeUps) {
        announce(gathered, wakeUps);
    }

    /** Work has appeared. */
    void announceWork(Collection<WakeUp> wakeUps) {
        announce(work, wakeUps);
    }

    /** The lease with {@code token} was released, and more clients wait than the one that is woken. */
    synchronized void lookAgain(LockKey key, FencingToken token) {
        if (!closed) {
            secondLooks.remove(key);
            long dueAt = environment.ticker().nanos() + SECOND_LOOK.toNanos();
            secondLooks.put(key, new SecondLook(key, token, dueAt));
            start();
        }
    }

    private synchronized void announce(Set<WakeUp> waiting, Collection<WakeUp> wakeUps) {
        // What waits already is sent without another call of the thread.
        if (!closed && waiting.addAll(wakeUps)) {
            start();
        }
    }

    private synchronized void start() {
        if (thread == null) {
            thread = environment.threads("interlock-postgres-announcer").newThread(this::run);
            thread.start();
        }
        notifyAll();
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
            notifyAll();
        }
        if (running != null) {
            Threads.join(running, settings.timeout());
        }
    }

    private void run() {
        Connection connection = null;
        while (awaitNext()) {
            List<SecondLook> due = takeDue();
            if (!due.isEmpty()) {
                connection = use(connection, due.size(), open -> {
                    List<WakeUp> free = stillFree(open, due);
                    synchronized (this) {
                        gathered.addAll(free);
                    }
                });
            }
            List<WakeUp> next = take();
            if (!next.isEmpty()) {
                // Those in this process need not wait for the way around.
                next.stream()
                        .filter(each -> each.client().isEmpty())
                        .forEach(each -> watchers.call(Set.of(each.about())));
                connection = use(connection, next.size(), open -> emit(open, next));
            }
        }
        discard(connection);
    }

    /** Waits until there is something to do; {@code false} once it is closed and all is sent. */
    private synchronized boolean awaitNext() {
        try {
            // The ticker is read once a round: a second look could find the time over, and nothing left to wait for.
            for (long left = nanosUntilNext(); left > 0 && !closed; left = nanosUntilNext()) {
                if (left == Long.MAX_VALUE) {
                    wait();
                } else {
                    wait(1 + TimeUnit.NANOSECONDS.toMillis(left));
                }
            }
        } catch (InterruptedException onlyThisClassHasTheThread) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !closed || !gathered.isEmpty() || !work.isEmpty();
    }

    private long nanosUntilNext() {
        if (!gathered.isEmpty()) {
            return 0;
        }
        long now = environment.ticker().nanos();
        long left = work.isEmpty() ? Long.MAX_VALUE : workDueAt - now;
        Iterator<SecondLook> looks = secondLooks.values().iterator();
        return looks.hasNext() ? Math.min(left, looks.next().dueAt() - now) : left;
    }

    private synchronized List<SecondLook> takeDue() {
        List<SecondLook> due = new ArrayList<>();
        long now = environment.ticker().nanos();
        Iterator<SecondLook> looks = secondLooks.values().iterator();
        while (looks.hasNext()) {
            SecondLook look = looks.next();
            if (look.dueAt() - now > 0) {
                break;
            }
            due.add(look);
            looks.remove();
        }
        return due;
    }

    private synchronized List<WakeUp> take() {
        if (closed || workDueAt - environment.ticker().nanos() <= 0) {
            if (!work.isEmpty()) {
                workDueAt = environment.ticker().nanos() + WORK_EVERY.toNanos();
            }
            gathered.addAll(work);
            work.clear();
        }
        List<WakeUp> taken = gathered.stream().limit(MOST_AT_ONCE).toList();
        taken.forEach(gathered::remove);
        return taken;
    }

    @FunctionalInterface
    private interface Use {
        void run(Connection connection) throws SQLException;
    }

    /** Uses the connection of last time or, if that fails, a new one; returns the one to use next time. */
    private @Nullable Connection use(@Nullable Connection last, int count, Use use) {
        List<Exception> failures = new ArrayList<>();
        Connection connection = last;
        for (int attempt = connection == null ? 2 : 1; attempt <= 2; attempt++) {
            try {
                if (connection == null) {
                    connection = connections.getConnection();
                    connection.setAutoCommit(true);
                    connection.setNetworkTimeout(Runnable::run, settings.timeoutMillis());
                }
                use.run(connection);
                return connection;
            } catch (SQLException | RuntimeException failure) {
                failures.add(failure);
                discard(connection);
                connection = null;
            }
        }
        log.warn(
                "store {}: {} wake-ups could not be sent, waiters poll instead: {}",
                settings.store(),
                count,
                failures.get(failures.size() - 1).toString());
        return null;
    }

    private void emit(Connection connection, List<WakeUp> wakeUps) throws SQLException {
        Map<String, StringBuilder> payloads = new LinkedHashMap<>();
        for (WakeUp each : wakeUps) {
            StringBuilder payload = payloads.computeIfAbsent(
                    KeyHash.channel(settings.names(), each.client()), channel -> new StringBuilder());
            payload.append(payload.isEmpty() ? "" : ",").append(Long.toHexString(each.about()));
        }
        try (PreparedStatement statement = connection.prepareStatement(NOTIFY)) {
            statement.setArray(
                    1, connection.createArrayOf("text", payloads.keySet().toArray()));
            statement.setArray(
                    2, connection.createArrayOf("text", payloads.values().toArray()));
            statement.execute();
        }
    }

    private List<WakeUp> stillFree(Connection connection, List<SecondLook> looks) throws SQLException {
        List<WakeUp> free = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(stillFree)) {
            setArray(statement, 1, "text", looks, look -> look.key().tenant());
            setArray(statement, 2, "text", looks, look -> look.key().name());
            setArray(statement, 3, "bigint", looks, look -> look.token().value());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    free.add(WakeUp.ofAll(KeyHash.of(LockKey.of(rows.getString(1), rows.getString(2)))));
                }
            }
        }
        return free;
    }

    private static <T> void setArray(
            PreparedStatement statement, int index, String type, List<T> rows, Function<T, Object> value)
            throws SQLException {
        statement.setArray(
                index,
                statement
                        .getConnection()
                        .createArrayOf(type, rows.stream().map(value).toArray()));
    }

    private void discard(@Nullable Connection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException unimportant) {
                log.debug("store {}: a connection could not be closed", settings.store(), unimportant);
            }
        }
    }
}
