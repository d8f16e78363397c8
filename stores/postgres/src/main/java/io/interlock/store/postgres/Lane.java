package io.interlock.store.postgres;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.TokenLayout;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A way to the database with connections of its own. It repeats what may be repeated, within the timeout; then the store is
 * unavailable. Every step is one statement in auto-commit mode, and takes effect at most once however often it is sent.
 *
 * <p>Interrupting a caller has no effect until its call is over. Safe for use by many threads.
 */
final class Lane {

    private static final Logger log = LoggerFactory.getLogger(Lane.class);
    private static final int MAX_CONFLICTS = 5;

    /** With less time than this left, another attempt would only break a connection. */
    private static final int SHORTEST_ATTEMPT_MILLIS = 300;

    private final DataSource connections;
    private final PostgresSettings settings;
    private final Environment environment;

    Lane(DataSource connections, PostgresSettings settings, Environment environment) {
        this.connections = connections;
        this.settings = settings;
        this.environment = environment;
    }

    /** Something to ask of the database. */
    interface Step<T> {

        /**
         * Sends it; if it throws, it may be sent again.
         *
         * @param patience how many milliseconds it may wait for a lock
         */
        T run(Connection connection, int patience) throws SQLException;
    }

    /**
     * Runs {@code step} until it has a clear answer.
     *
     * @throws StoreUnavailableException if there is none within the timeout
     */
    <T> T call(Step<T> step) {
        long start = environment.ticker().nanos();
        boolean interrupted = Thread.interrupted();
        try {
            for (int attempt = 1; ; attempt++) {
                try {
                    return attempt(step, start);
                } catch (SQLException error) {
                    interrupted |= Thread.interrupted();
                    if (!mayRepeat(error, attempt, start)) {
                        throw failed(error, attempt, start);
                    }
                    log.debug("store {}: attempt {} failed, asking again", settings.store(), attempt, error);
                    pause(attempt, start);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a statement that answers with rows, and hands them to {@code reader} once the transaction is over. */
    static <T> T query(Connection connection, String sql, Binder binder, Reader<T> reader) throws SQLException {
        return query(connection, sql, binder, reader, WorkHints.NONE);
    }

    /** The same, for a statement that may make work for others. */
    static <T> T query(Connection connection, String sql, Binder binder, Reader<T> reader, WorkHints hints)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binder.bind(statement);
            try (ResultSet rows = statement.executeQuery()) {
                requireReplicated(statement.getWarnings());
                hints.heed(statement.getWarnings());
                return reader.read(rows);
            }
        }
    }

    /** Fills in the parameters of a statement. */
    interface Binder {

        /** Sets all of them. */
        void bind(PreparedStatement statement) throws SQLException;
    }

    /** Makes an answer of rows. */
    interface Reader<T> {

        /** Reads all of them. */
        T read(ResultSet rows) throws SQLException;
    }

    private <T> T attempt(Step<T> step, long start) throws SQLException {
        try (Loan loan = Loan.from(connections)) {
            // Only now: the wait for a connection is part of the time.
            int millis = remainingMillis(start);
            if (millis < SHORTEST_ATTEMPT_MILLIS) {
                throw new SQLTransientConnectionException("a connection came too late to be used");
            }
            loan.limit(millis);
            return step.run(loan.connection(), settings.patienceMillis(millis));
        }
    }

    // A commit whose wait for the standby was cut short is only a warning to the server, yet it can be lost in a
    // failover.
    private static void requireReplicated(@Nullable SQLWarning warning) throws SQLException {
        for (SQLWarning each = warning; each != null; each = each.getNextWarning()) {
            String state = each.getSQLState();
            if (state != null && state.startsWith("57")) {
                throw new SQLException("committed here, but not known to be on the standby", "08007", each);
            }
        }
    }

    private boolean mayRepeat(SQLException error, int attempt, long start) {
        if (remainingMillis(start) < SHORTEST_ATTEMPT_MILLIS) {
            return false;
        }
        // A pool gives up after a part of the time, or when the waiting thread is interrupted.
        if (error.getCause() instanceof InterruptedException
                || (error instanceof SQLTransientConnectionException && error.getCause() == null)) {
            return true;
        }
        return switch (Failure.of(error)) {
            case CONFLICT -> attempt < MAX_CONFLICTS;
            case BROKEN -> true;
            case FINAL -> false;
        };
    }

    private void pause(int attempt, long start) {
        long most = Math.min(200, 10L << Math.min(attempt, 6));
        long millis = Math.min(remainingMillis(start), 1 + environment.random().nextLong(most));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private int remainingMillis(long start) {
        long gone = TimeUnit.NANOSECONDS.toMillis(environment.ticker().nanos() - start);
        return (int) Math.max(1, settings.timeoutMillis() - gone);
    }

    private InterlockException failed(SQLException error, int attempts, long start) {
        if ("IL002".equals(error.getSQLState())) {
            return new UnsafeStoreException(
                    settings.store(),
                    "has used up its epochs: " + TokenLayout.MAX_EPOCH + " is the last",
                    "start a new store under another prefix once every lease of this one is over");
        }
        return unavailable(error, attempts, start);
    }

    private StoreUnavailableException unavailable(SQLException error, int attempts, long start) {
        String after = DurationText.format(Duration.ofNanos(environment.ticker().nanos() - start));
        return new StoreUnavailableException(
                settings.store(),
                "gave no clear answer after " + attempts + (attempts == 1 ? " attempt" : " attempts") + " in " + after
                        + ": " + error.getMessage(),
                error);
    }
}
