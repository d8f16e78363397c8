package io.interlock.store.sql;

import io.interlock.InvalidSettingException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection in auto-commit mode, given back as it came: it may belong to a pool that others use too, and not every pool
 * tidies up. Not safe for use by many threads.
 */
public final class Loan implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loan.class);

    private final Connection connection;
    private final boolean manual;
    private final int networkTimeout;

    private Loan(Connection connection, ServerDialect dialect) throws SQLException {
        // Auto-commit would commit what was done so far, and without it a lease would hang on a commit to come.
        if (dialect.isInTransaction(connection)) {
            throw new InvalidSettingException(
                    "connections",
                    "of the given DataSource",
                    "come with an open transaction of another owner",
                    "give the store the pool itself, not a transaction-aware proxy of it");
        }
        this.connection = connection;
        this.networkTimeout = connection.getNetworkTimeout();
        this.manual = !connection.getAutoCommit();
        if (manual) {
            connection.setAutoCommit(true);
        }
    }

    /**
     * Borrows one.
     *
     * @throws InvalidSettingException if it comes in the middle of a transaction
     */
    public static Loan from(DataSource connections, ServerDialect dialect) throws SQLException {
        return orClose(connections.getConnection(), connection -> new Loan(connection, dialect));
    }

    /** What is made of a connection. */
    @FunctionalInterface
    interface Use<T> {

        T of(Connection connection) throws SQLException;
    }

    /** Makes something of a connection, which is closed if that fails. */
    static <T> T orClose(Connection connection, Use<T> use) throws SQLException {
        try {
            return use.of(connection);
        } catch (SQLException | RuntimeException refused) {
            try {
                connection.close();
            } catch (SQLException unimportant) {
                refused.addSuppressed(unimportant);
            }
            throw refused;
        }
    }

    public Connection connection() {
        return connection;
    }

    /** Until it is given back, no answer is waited for longer than this. */
    public void limit(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    /** Breaks the connection: nothing may go on in a transaction that cannot be ended. */
    void discard() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException unimportant) {
            log.debug("a connection could not be aborted", unimportant);
        }
    }

    // What was asked is answered by now, whatever closing says.
    @Override
    public void close() {
        try (connection) {
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
                if (manual) {
                    connection.setAutoCommit(false);
                }
            }
        } catch (SQLException unimportant) {
            log.debug("a connection could not be given back", unimportant);
        }
    }
}
