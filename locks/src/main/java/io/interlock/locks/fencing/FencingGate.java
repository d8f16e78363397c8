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
 * <p>Works on PostgreSQL and SQLite, in the database of the guarded data itself; elsewhere it would guard nothing. The table
 * is the user's: run {@link #CREATE_TABLE} in a migration, or call {@link #createTable}. Has no state; safe for use by many
 * threads.
 */
public final class FencingGate {

    /** Makes the table the gate keeps its bars in. */
    public static final String CREATE_TABLE = """
            CREATE TABLE IF NOT EXISTS interlock_fence (
              lock_key VARCHAR(600) NOT NULL PRIMARY KEY,
              token BIGINT NOT NULL
            )""";

    private static final String RAISE = """
            INSERT INTO interlock_fence (lock_key, token) VALUES (?, ?)
            ON CONFLICT (lock_key) DO UPDATE SET token = excluded.token
            WHERE interlock_fence.token <= excluded.token""";

    private static final String BAR = "SELECT token FROM interlock_fence WHERE lock_key = ?";

    /** A gate; all gates on one database are the same. */
    public FencingGate() {}

    /** Makes the table if it is not there. */
    public static void createTable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(CREATE_TABLE);
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
        try (PreparedStatement raise = connection.prepareStatement(RAISE)) {
            raise.setString(1, key.encoded());
            raise.setLong(2, token.value());
            if (raise.executeUpdate() == 0) {
                throw new StaleTokenException(key, token, bar(connection, key));
            }
        }
    }

    private static FencingToken bar(Connection connection, LockKey key) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(BAR)) {
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
