package io.interlock.locks.fencing;

import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * Lets only the latest holder of a key into a database transaction.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * gate.pass(connection, lease.key(), lease.token());
 * … read and write …
 * connection.commit();
 * }</pre>
 *
 * <p>Passing raises the bar to the token and locks the key's row until the transaction ends, so whatever is read and written
 * after it in the same transaction is fenced: a holder with a smaller token waits, and is then refused. Pass first, read
 * then; what was read before is not protected.
 *
 * <p>Works on PostgreSQL, SQLite, MariaDB, MySQL, and on databases such as H2 in which a statement that fails leaves its transaction
 * usable, in the database of the guarded data itself; elsewhere it would guard nothing. The table is the user's: run {@link
 * #CREATE_TABLE} in a migration, on MariaDB and MySQL {@link #CREATE_TABLE_MARIADB}, or call {@link #createTable}. Has no state; safe
 * for use by many threads.
 */
public final class FencingGate {

    /** Makes the table the gate keeps its bars in. */
    public static final String CREATE_TABLE = """
            CREATE TABLE IF NOT EXISTS interlock_fence (
              lock_key VARCHAR(600) NOT NULL PRIMARY KEY,
              token BIGINT NOT NULL
            )""";

    /** The same for MariaDB and MySQL, whose texts would not tell {@code a} from {@code A}. */
    public static final String CREATE_TABLE_MARIADB = """
            CREATE TABLE IF NOT EXISTS interlock_fence (
              lock_key VARBINARY(600) NOT NULL PRIMARY KEY,
              token BIGINT NOT NULL
            ) ENGINE = InnoDB""";

    private static final Set<String> ON_CONFLICT = Set.of("PostgreSQL", "SQLite");
    private static final Set<String> ON_DUPLICATE_KEY = Set.of("MariaDB", "MySQL");

    private static final String RAISE_ON_CONFLICT = """
            INSERT INTO interlock_fence (lock_key, token) VALUES (?, ?)
            ON CONFLICT (lock_key) DO UPDATE SET token = excluded.token
            WHERE interlock_fence.token <= excluded.token""";

    private static final String RAISE_ON_DUPLICATE_KEY = """
            INSERT INTO interlock_fence (lock_key, token) VALUES (?, ?)
            ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))""";

    private static final String INSERT = "INSERT INTO interlock_fence (lock_key, token) VALUES (?, ?)";
    private static final String RAISE = "UPDATE interlock_fence SET token = ? WHERE lock_key = ? AND token <= ?";
    private static final String BAR = "SELECT token FROM interlock_fence WHERE lock_key = ?";

    /** A gate; all gates on one database are the same. */
    public FencingGate() {}

    /** Makes the table if it is not there. */
    public static void createTable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(ON_DUPLICATE_KEY.contains(product(connection)) ? CREATE_TABLE_MARIADB : CREATE_TABLE);
        }
    }

    /**
     * Passes if no greater token of {@code key} has passed before, and keeps others out until the transaction ends.
     *
     * @throws StaleTokenException if a greater token has passed: stop this work and roll back
     * @throws InvalidSettingException if the connection is in auto-commit mode, in which the gate would close at once
     */
    public void pass(Connection connection, LockKey key, FencingToken token) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new InvalidSettingException(
                    "autoCommit",
                    true,
                    "would end the transaction at the gate and leave what follows unguarded",
                    "call setAutoCommit(false), pass the gate, work, commit");
        }
        String product = product(connection);
        boolean passed;
        if (ON_CONFLICT.contains(product)) {
            passed = update(connection, RAISE_ON_CONFLICT, key.encoded(), token.value()) > 0;
        } else if (ON_DUPLICATE_KEY.contains(product)) {
            // How many rows count as changed is a setting of the driver, so the bar is read; the row is locked by now.
            update(connection, RAISE_ON_DUPLICATE_KEY, key.encoded(), token.value());
            passed = !bar(connection, key, BAR + " FOR UPDATE").isAfter(token);
        } else {
            passed = raise(connection, key, token) || insert(connection, key, token) || raise(connection, key, token);
        }
        if (!passed) {
            throw new StaleTokenException(key, token, bar(connection, key, BAR));
        }
    }

    private static boolean raise(Connection connection, LockKey key, FencingToken token) throws SQLException {
        return update(connection, RAISE, token.value(), key.encoded(), token.value()) > 0;
    }

    private static boolean insert(Connection connection, LockKey key, FencingToken token) throws SQLException {
        try {
            return update(connection, INSERT, key.encoded(), token.value()) > 0;
        } catch (SQLException failure) {
            if (failure.getSQLState() != null && failure.getSQLState().startsWith("23")) {
                return false; // The row is there.
            }
            throw failure;
        }
    }

    private static int update(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                if (arguments[i] instanceof Long number) {
                    statement.setLong(i + 1, number);
                } else {
                    statement.setString(i + 1, arguments[i].toString());
                }
            }
            return statement.executeUpdate();
        }
    }

    private static String product(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName();
    }

    private static FencingToken bar(Connection connection, LockKey key, String sql) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, key.encoded());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("interlock_fence refused a token of " + key + " but has no row for it");
                }
                return new FencingToken(row.getLong(1));
            }
        }
    }
}
