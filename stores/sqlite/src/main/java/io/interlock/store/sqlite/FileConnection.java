package io.interlock.store.sqlite;

import io.interlock.store.sql.SqlConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConnection;

/** One connection to the file, with the statements prepared on it. Not safe for use by many threads at once. */
final class FileConnection extends SqlConnection implements AutoCloseable {

    FileConnection(Connection jdbc, SqliteDialect dialect) {
        super(jdbc, dialect);
    }

    /** Runs a statement that is not worth keeping. */
    void execute(String sql) throws SQLException {
        try (Statement statement = jdbc().createStatement()) {
            statement.execute(sql);
        }
    }

    /** How long it waits for another process that is writing. */
    void waitAtMost(int millis) throws SQLException {
        jdbc().unwrap(SQLiteConnection.class).setBusyTimeout(millis);
    }

    @Override
    public void close() throws SQLException {
        jdbc().close();
    }
}
