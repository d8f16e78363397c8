package io.interlock.store.postgres;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Physical connections, each of them checked by the {@link Attachment} before anybody gets it. */
final class AttachingDataSource implements DataSource {

    private final DataSource raw;
    private final Attachment attachment;

    AttachingDataSource(DataSource raw, Attachment attachment) {
        this.raw = raw;
        this.attachment = attachment;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = raw.getConnection();
        try {
            settle(connection);
            attachment.requireSafe(connection);
            attachment.attach(connection);
            return connection;
        } catch (SQLException | RuntimeException refused) {
            try {
                connection.close();
            } catch (SQLException unimportant) {
                refused.addSuppressed(unimportant);
            }
            throw refused;
        }
    }

    // A net under the functions, which bind all they need to their own transaction.
    static void settle(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
                    SET lock_timeout = '2s';
                    SET idle_in_transaction_session_timeout = '5s'""");
        }
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

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        raw.setLoginTimeout(seconds);
    }

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
