package io.interlock.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.benchmark.server.PostgresAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One plain UPDATE for each step, without tokens, queues or renewal: the least that a durable lock can cost where callers
 * share nothing.
 */
public final class RawStatements implements LockPeer {

    /** What tables call it. */
    public static final String NAME = "raw UPDATE";

    private static final String TAKE =
            "UPDATE raw_lock SET owner = ?, held_until = clock_timestamp() + interval '5 minutes'"
                    + " WHERE name = ? AND held_until <= clock_timestamp()";
    private static final String FREE = "UPDATE raw_lock SET held_until = '-infinity' WHERE name = ? AND owner = ?";
    private static final String MAKE =
            "INSERT INTO raw_lock(name, owner, held_until) VALUES (?, '', '-infinity') ON CONFLICT DO NOTHING";

    private final HikariDataSource pool;
    private final Set<String> made = ConcurrentHashMap.newKeySet();
    private final List<Held> held = new ArrayList<>();

    private RawStatements(HikariDataSource pool) {
        this.pool = pool;
    }

    /** Opens it, and makes its table. */
    public static RawStatements open(PostgresAddress address) throws SQLException {
        HikariDataSource pool = Pools.open(address, Pools.SIZE);
        Pools.execute(
                pool,
                "CREATE TABLE IF NOT EXISTS raw_lock"
                        + "(name text PRIMARY KEY, owner text NOT NULL, held_until timestamptz NOT NULL)");
        return new RawStatements(pool);
    }

    @Override
    public Held take(String key) throws SQLException {
        if (made.add(key)) {
            update(MAKE, key);
        }
        String owner = UUID.randomUUID().toString();
        if (update(TAKE, owner, key) != 1) {
            throw new IllegalStateException(key + " should be free");
        }
        return () -> update(FREE, key, owner);
    }

    @Override
    public boolean isRefused(String key) throws SQLException {
        return update(TAKE, "other", key) == 0;
    }

    @Override
    public void holdElsewhere(Collection<String> keys) throws SQLException {
        for (String key : keys) {
            held.add(take(key));
        }
    }

    @Override
    public void close() throws Exception {
        for (Held each : held) {
            each.release();
        }
        pool.close();
    }

    private int update(String sql, String... values) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
