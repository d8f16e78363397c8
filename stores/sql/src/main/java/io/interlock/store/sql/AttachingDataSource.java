package io.interlock.store.sql;

import io.interlock.store.sql.Dialect.SqlFailure;
import io.interlock.time.Environment;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Physical connections, each of them checked by the {@link Attachment} before it is used.
 *
 * <p>While the server cannot be reached, it tries again every fraction of a second for half the timeout. A pool left alone
 * with that would wait longer after every failure, up to 5 s, and renewals have no time for it when the server is back.
 */
public final class AttachingDataSource implements DataSource {

    private static final long LONGEST_PAUSE_MILLIS = 100;

    private final DataSource raw;
    private final Attachment attachment;
    private final Duration patience;
    private final Environment environment;

    /** Connections from {@code raw}, checked by {@code attachment}. */
    public AttachingDataSource(DataSource raw, Attachment attachment, Environment environment) {
        this.raw = raw;
        this.attachment = attachment;
        this.patience = attachment.settings().timeout().dividedBy(2);
        this.environment = environment;
    }

    @Override
    public Connection getConnection() throws SQLException {
        long start = environment.ticker().nanos();
        while (true) {
            try {
                return attached();
            } catch (SQLException error) {
                boolean late = environment.ticker().nanos() - start > patience.toNanos();
                // The pool interrupts when it is closed.
                if (late
                        || attachment.dialect().failureOf(error) != SqlFailure.BROKEN
                        || Thread.currentThread().isInterrupted()) {
                    throw error;
                }
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(1 + environment.random().nextLong(LONGEST_PAUSE_MILLIS)));
            }
        }
    }

    private Connection attached() throws SQLException {
        return Loan.orClose(raw.getConnection(), connection -> {
            attachment.requireSafe(connection);
            attachment.attach(connection);
            return connection;
        });
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("connections are made as the user of the store's URL");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return raw.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        raw.setLogWriter(out);
    }

    // A pool says how long it waits itself; how long logging in may take is in the store's URL.
    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() throws SQLException {
        return raw.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return raw.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return raw.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return raw.isWrapperFor(type);
    }
}
