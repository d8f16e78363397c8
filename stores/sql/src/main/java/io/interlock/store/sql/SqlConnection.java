package io.interlock.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A connection, with the words of its database. Where statements are kept prepared on it, it is used for long and closed by
 * its owner. Not safe for use by many threads at once.
 */
public final class SqlConnection implements AutoCloseable {

    private static final int MOST_PREPARED = 500;

    private final Connection jdbc;
    private final Dialect dialect;
    private final int patienceMillis;
    private final Map<String, PreparedStatement> prepared = new LinkedHashMap<>(64, 0.75f, true);

    public SqlConnection(Connection jdbc, Dialect dialect) {
        this(jdbc, dialect, 0);
    }

    /** A connection whose statements wait for a lock no longer than so. */
    SqlConnection(Connection jdbc, Dialect dialect, int patienceMillis) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.patienceMillis = patienceMillis;
    }

    public Connection jdbc() {
        return jdbc;
    }

    public Dialect dialect() {
        return dialect;
    }

    /** How long a statement may wait for a lock, in milliseconds; 0 if the connection has a limit of its own. */
    public int patienceMillis() {
        return patienceMillis;
    }

    public Trip trip() {
        return new Trip(this);
    }

    @Override
    public void close() throws SQLException {
        jdbc.close();
    }

    /** The statement {@code sql}, as rendered, prepared once. */
    PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = jdbc.prepareStatement(sql);
            prepared.put(sql, statement);
            if (prepared.size() > MOST_PREPARED) {
                Iterator<PreparedStatement> oldest = prepared.values().iterator();
                oldest.next().close();
                oldest.remove();
            }
        }
        return statement;
    }
}
