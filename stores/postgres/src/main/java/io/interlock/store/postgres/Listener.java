package io.interlock.store.postgres;

import io.interlock.LockKey;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.Watchers;
import io.interlock.store.sql.ServerSettings;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears wake-ups by {@code LISTEN}, on a connection and a thread of its own that begin with the first watcher.
 *
 * <p>A notification is lost while this process does not listen. So whenever it begins to listen, for the first time or after a
 * broken connection, it wakes all watchers. It notices a dead connection within
 * {@link #KEEP_ALIVE} and the timeout. Safe for use by many threads.
 */
final class Listener implements ChangeFeed, AutoCloseable {

    static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(Listener.class);
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 10_000;

    private final DataSource connections;
    private final ServerSettings settings;
    private final Environment environment;
    private final Watchers<Long> watchers;
    private final String client;
    private final Duration keepAlive;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable Thread thread;
    private volatile @Nullable Connection listening;

    Listener(
            DataSource connections,
            ServerSettings settings,
            Environment environment,
            Watchers<Long> watchers,
            String client,
            Duration keepAlive) {
        this.connections = connections;
        this.settings = settings;
        this.environment = environment;
        this.watchers = watchers;
        this.client = client;
        this.keepAlive = keepAlive;
    }

    @Override
    public Subscription watch(LockKey key, Runnable lookAgain) {
        return watch(KeyHash.of(key), lookAgain);
    }

    Subscription watch(long about, Runnable lookAgain) {
        Subscription subscription = watchers.add(about, lookAgain);
        try {
            start();
        } catch (RuntimeException | Error noThread) {
            subscription.close();
            throw noThread;
        }
        return subscription;
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closing.countDown();
            running = thread;
        }
        abort(listening);
        if (running != null && running != Thread.currentThread()) {
            try {
                running.join(settings.timeoutMillis());
            } catch (InterruptedException hurry) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void start() {
        if (thread == null && closing.getCount() > 0) {
            Thread listener = environment.threads("interlock-postgres-listener").newThread(this::run);
            listener.start();
            thread = listener;
        }
    }

    private void run() {
        long pause = FIRST_PAUSE_MILLIS;
        while (closing.getCount() > 0) {
            long begun = environment.ticker().nanos();
            try (Connection connection = connections.getConnection()) {
                listening = connection;
                listen(connection);
            } catch (SQLException | RuntimeException | Error broken) {
                if (closing.getCount() == 0) {
                    return;
                }
                // A connection that lasted was a good one: its end says nothing about the next.
                boolean lasted = environment.ticker().nanos() - begun > keepAlive.toNanos();
                pause = lasted ? FIRST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
                log.warn(
                        "store {}: wake-ups are interrupted, waiters poll meanwhile; next attempt within {} ms: {}",
                        settings.store(),
                        pause,
                        broken.toString());
            } finally {
                listening = null;
            }
            if (pause(closing, pause / 2 + environment.random().nextLong(pause / 2))) {
                return;
            }
        }
    }

    /** Waits for a while, or until {@code closing}; says whether it is closing, or there is no time to wait. */
    static boolean pause(CountDownLatch closing, long millis) {
        try {
            return closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void listen(Connection connection) throws SQLException {
        PGConnection driver = connection.unwrap(PGConnection.class);
        connection.setAutoCommit(true);
        connection.setNetworkTimeout(Runnable::run, settings.timeoutMillis());
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + KeyHash.channel(settings.names(), client));
            statement.execute("LISTEN " + KeyHash.channel(settings.names()));
            watchers.callAll();
            while (closing.getCount() > 0) {
                PGNotification[] heard = driver.getNotifications((int) keepAlive.toMillis());
                if (heard == null || heard.length == 0) {
                    statement.execute("SELECT 1");
                } else {
                    for (PGNotification notification : heard) {
                        wake(notification.getParameter());
                    }
                }
            }
        }
    }

    private void wake(String hashes) {
        for (String hash : hashes.split(",", -1)) {
            try {
                watchers.call(Set.of(Long.parseUnsignedLong(hash, 16)));
            } catch (NumberFormatException foreign) {
                log.warn(
                        "store {}: ignored '{}' on channel {}; another program sends there",
                        settings.store(),
                        hash,
                        KeyHash.channel(settings.names()));
            }
        }
    }

    // Closing would politely wait for the read under way; aborting ends it.
    private void abort(@Nullable Connection connection) {
        if (connection != null) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException unimportant) {
                log.debug("store {}: the listening connection could not be aborted", settings.store(), unimportant);
            }
        }
    }
}
