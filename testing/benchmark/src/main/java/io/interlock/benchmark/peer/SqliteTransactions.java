package io.interlock.benchmark.peer;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.UUID;

/**
 * SQLite by plain JDBC: one transaction for each acquire and one for each release, on disk before it returns. One connection
 * that threads take in turn, because more of them only wait for each other.
 */
public final class SqliteTransactions implements LockPeer {

    /** What tables call it. */
    public static final String NAME = "a transaction per step";

    private final Connection connection;
    private final PreparedStatement take;
    private final PreparedStatement free;

    private SqliteTransactions(Connection connection) throws SQLException {
        this.connection = connection;
        this.take = connection.prepareStatement("INSERT INTO lock(name, owner, token, held_until) VALUES (?, ?, 1, ?)"
                + " ON CONFLICT(name) DO UPDATE SET owner = excluded.owner, token = lock.token + 1,"
                + " held_until = excluded.held_until WHERE lock.held_until <= ?");
        this.free = connection.prepareStatement("UPDATE lock SET held_until = 0 WHERE name = ? AND owner = ?");
    }

    /** Opens it, and makes its table. */
    public static SqliteTransactions open(Path file) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            statement.execute("CREATE TABLE IF NOT EXISTS lock"
                    + "(name TEXT PRIMARY KEY, owner TEXT, token INTEGER, held_until INTEGER) WITHOUT ROWID");
        }
        return new SqliteTransactions(connection);
    }

    @Override
    public Held take(String key) throws SQLException {
        String owner = UUID.randomUUID().toString();
        if (!tryTake(key, owner)) {
            throw new IllegalStateException(key + " should be free");
        }
        return () -> free(key, owner);
    }

    @Override
    public boolean isRefused(String key) throws SQLException {
        return !tryTake(key, "other");
    }

    @Override
    public void holdElsewhere(Collection<String> keys) throws SQLException {
        for (String key : keys) {
            take(key);
        }
    }

    @Override
    public synchronized void close() throws SQLException {
        take.close();
        free.close();
        connection.close();
    }

    private synchronized boolean tryTake(String key, String owner) throws SQLException {
        long now = System.currentTimeMillis();
        take.setString(1, key);
        take.setString(2, owner);
        take.setLong(3, now + 300_000);
        take.setLong(4, now);
        return take.executeUpdate() == 1;
    }

    private synchronized void free(String key, String owner) throws SQLException {
        free.setString(1, key);
        free.setString(2, owner);
        free.executeUpdate();
    }
}
