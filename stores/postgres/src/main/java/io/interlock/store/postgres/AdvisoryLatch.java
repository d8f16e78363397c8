package io.interlock.store.postgres;

import io.interlock.LockKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A short critical section inside a transaction of the user's own: from {@link #hold} until that transaction ends, no other
 * transaction holds the latch of this key in the same database.
 *
 * <p>It is PostgreSQL's {@code pg_advisory_xact_lock} on 64 bits of a hash of the key. It ends with the transaction or
 * the connection, whichever is first, so it suits "look whether the row is there, else insert it" and nothing that lasts
 * longer or reaches beyond the database: for that, take a lease. Different keys share a latch with probability
 * 2<sup>-64</sup>, which would cost time, not correctness.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * AdvisoryLatch.of(LockKey.of("source-event/4711")).hold(connection);
 * // look, insert
 * connection.commit();
 * }</pre>
 *
 * <p>Immutable, safe for use by many threads.
 *
 * @param key whose latch this is
 */
public record AdvisoryLatch(LockKey key) {

    /** The latch of {@code key}. */
    public static AdvisoryLatch of(LockKey key) {
        return new AdvisoryLatch(key);
    }

    /** The 64 bits it is known by in {@code pg_locks}. */
    public long number() {
        return KeyHash.of(key);
    }

    /**
     * Waits until no other transaction holds it, then holds it until the transaction ends. Set {@code lock_timeout} to limit the
     * wait. Holding it twice in one transaction is harmless.
     *
     * @throws IllegalStateException if the connection is in auto-commit mode, in which the latch would be gone at once
     */
    public void hold(Connection connection) throws SQLException {
        ask(connection, "SELECT pg_advisory_xact_lock(?)");
    }

    /**
     * Like {@link #hold}, without waiting.
     *
     * @return whether it is held now
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public boolean tryHold(Connection connection) throws SQLException {
        return Boolean.TRUE.equals(ask(connection, "SELECT pg_try_advisory_xact_lock(?)"));
    }

    private @Nullable Object ask(Connection connection, String sql) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the latch of " + key
                    + " would be gone at once: the connection is in auto-commit mode; call setAutoCommit(false) first");
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, number());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getObject(1);
            }
        }
    }
}
