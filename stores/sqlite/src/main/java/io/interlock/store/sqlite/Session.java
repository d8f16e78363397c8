package io.interlock.store.sqlite;

import io.interlock.store.jdbc.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.sqlite.SQLiteConnection;

/** One connection to the file, with the statements prepared on it. Not safe for use by many threads at once. */
final class Session implements AutoCloseable {

    private final Connection connection;
    private final TableNames names;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    Session(Connection connection, TableNames names) {
        this.connection = connection;
        this.names = names;
    }

    Connection connection() {
        return connection;
    }

    /** The statement {@code sql}, in which {@code ${schema}} and {@code ${prefix}} stand for this store's names. */
    PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(names.fill(sql));
            prepared.put(sql, statement);
        }
        return statement;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** How long it waits for another process that is writing. */
    void waitAtMost(int millis) throws SQLException {
        connection.unwrap(SQLiteConnection.class).setBusyTimeout(millis);
    }

    /** Runs {@code work} on one unchanging state of the file, without keeping writers out. */
    <T> T reading(Work<T> work) throws SQLException {
        return transaction("BEGIN DEFERRED", work);
    }

    /**
     * Runs {@code work} as the only writer, and makes what it wrote last, or none of it. The write lock is taken at once:
     * a transaction that reads first and wants to write later fails whenever somebody else wrote in between.
     */
    <T> T writing(Work<T> work) throws SQLException {
        return transaction("BEGIN IMMEDIATE", work);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    private <T> T transaction(String begin, Work<T> work) throws SQLException {
        prepare(begin).executeUpdate();
        try {
            T result = work.run(this);
            prepare("COMMIT").executeUpdate();
            return result;
        } catch (SQLException | RuntimeException | Error failure) {
            rollback(failure);
            throw failure;
        }
    }

    private void rollback(Throwable failure) throws SQLException {
        try {
            prepare("ROLLBACK").executeUpdate();
        } catch (SQLException alreadyEnded) {
            // After some errors SQLite has rolled back by itself. Whichever it is, nothing may go on in that
            // transaction.
            failure.addSuppressed(alreadyEnded);
            connection.close();
        }
    }

    /** Something done on a session. */
    @FunctionalInterface
    interface Work<T> {
        T run(Session session) throws SQLException;
    }
}
