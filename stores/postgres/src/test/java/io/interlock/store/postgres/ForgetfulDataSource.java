package io.interlock.store.postgres;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Gives every borrower a session that has never seen him. */
final class ForgetfulDataSource implements DataSource {

    private final DataSource raw;
    private final AtomicInteger given = new AtomicInteger();

    ForgetfulDataSource(DataSource raw) {
        this.raw = raw;
    }

    int given() {
        return given.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        given.incrementAndGet();
        return raw.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return raw.getConnection(user, password);
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
    public Logger getParentLogger() {
        return Logger.getGlobal();
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
