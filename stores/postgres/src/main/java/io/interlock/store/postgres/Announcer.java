package io.interlock.store.postgres;

import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.Watchers;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends wake-ups by {@code NOTIFY}, after the release is committed, in a transaction of their own: a commit that notifies
 * takes a lock on the whole database server. Whatever gathers while one is being sent goes out as the next. Wake-ups about
 * work are sent at most every {@link #WORK_EVERY}: they say only that there is some, and a claim takes all it finds.
 *
 * <p>A wake-up that cannot be sent is dropped: waiters poll as well. Thread and connection begin with the first. Safe for
 * use by many threads.
 */
final class Announcer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Announcer.class);

    /** Seventeen characters each; a payload is limited to 8000 bytes. */
    private static final int MOST_AT_ONCE = 400;

    // A wake-up needs not survive a crash, so it does not wait for the disk.
    private static final String NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?)";

    private static final Duration WORK_EVERY = Duration.ofMillis(5);

    private final DataSource connections;
    private final ServerSettings settings;
    private final Environment environment;
    private final Watchers<Long> watchers;
    private final Set<Long> gathered = new LinkedHashSet<>();
    private final Set<Long> work = new LinkedHashSet<>();
    private long workDueAt;
    private @Nullable Thread thread;
    private boolean closed;

    Announcer(DataSource connections, ServerSettings settings, Environment environment, Watchers<Long> watchers) {
        this.connections = connections;
        this.settings = settings;
        this.environment = environment;
        this.watchers = watchers;
        this.workDueAt = environment.ticker().nanos();
    }

    /** Keys have changed. */
    void announce(Collection<Long> hashes) {
        announce(gathered, hashes);
    }

    /** Work has appeared. */
    void announceWork(Collection<Long> hashes) {
        announce(work, hashes);
    }

    private synchronized void announce(Set<Long> waiting, Collection<Long> hashes) {
        if (closed || hashes.isEmpty()) {
            return;
        }
        waiting.addAll(hashes);
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
        for (List<Long> next = take(); !next.isEmpty(); next = take()) {
            // Those in this process need not wait for the way around.
            watchers.call(next);
            connection = send(connection, next);
        }
        discard(connection);
    }

    private synchronized List<Long> take() {
        try {
            // The ticker is read once a round: a second look could find the time over, and nothing left to wait for.
            for (long left = nanosUntilWork(); gathered.isEmpty() && left > 0 && !closed; left = nanosUntilWork()) {
                if (work.isEmpty()) {
                    wait();
                } else {
                    wait(1 + TimeUnit.NANOSECONDS.toMillis(left));
                }
            }
        } catch (InterruptedException onlyThisClassHasTheThread) {
            Thread.currentThread().interrupt();
            return List.of();
        }
        if (nanosUntilWork() <= 0 || closed) {
            gathered.addAll(work);
            work.clear();
            workDueAt = environment.ticker().nanos() + WORK_EVERY.toNanos();
        }
        List<Long> taken = gathered.stream().limit(MOST_AT_ONCE).toList();
        taken.forEach(gathered::remove);
        return taken;
    }

    private long nanosUntilWork() {
        return work.isEmpty()
                ? Long.MAX_VALUE
                : workDueAt - environment.ticker().nanos();
    }

    /** Sends by the connection of last time or, if that fails, by a new one; returns the one to use next time. */
    private @Nullable Connection send(@Nullable Connection last, List<Long> hashes) {
        List<Exception> failures = new ArrayList<>();
        Connection connection = last;
        for (int attempt = connection == null ? 2 : 1; attempt <= 2; attempt++) {
            try {
                if (connection == null) {
                    connection = connections.getConnection();
                    connection.setAutoCommit(true);
                    connection.setNetworkTimeout(Runnable::run, settings.timeoutMillis());
                }
                emit(connection, hashes);
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
                hashes.size(),
                failures.get(failures.size() - 1).toString());
        return null;
    }

    private void emit(Connection connection, List<Long> hashes) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(NOTIFY)) {
            statement.setString(1, KeyHash.channel(settings.names()));
            statement.setString(2, hashes.stream().map(Long::toHexString).collect(Collectors.joining(",")));
            statement.execute();
        }
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
