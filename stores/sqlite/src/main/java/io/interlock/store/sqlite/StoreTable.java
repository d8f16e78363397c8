package io.interlock.store.sqlite;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The table {@code store}, on one session. */
final class StoreTable {

    private static final String READ = """
            SELECT boot_id, booted_at, uptime, epoch, token_floor, max_lease, quiet_until
              FROM ${schema}.${prefix}store
            """;

    private static final String WRITE = """
            REPLACE INTO ${schema}.${prefix}store
              (one, boot_id, booted_at, uptime, epoch, token_floor, max_lease, quiet_until)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?)
            """;

    private final Session session;

    StoreTable(Session session) {
        this.session = session;
    }

    /** The row, or {@code null} on the first day. */
    @Nullable
    StoreState read() throws SQLException {
        try (ResultSet row = session.prepare(READ).executeQuery()) {
            return row.next() ? state(row) : null;
        }
    }

    void write(StoreState state) throws SQLException {
        PreparedStatement write = session.prepare(WRITE);
        write.setString(1, state.bootId());
        write.setLong(2, state.bootedAt());
        write.setLong(3, state.uptime());
        write.setInt(4, state.tokens().epoch());
        write.setLong(5, state.tokens().floor());
        write.setLong(6, state.maxLease());
        write.setLong(7, state.quietUntil());
        write.executeUpdate();
    }

    private static StoreState state(ResultSet row) throws SQLException {
        return new StoreState(
                row.getString(1),
                row.getLong(2),
                row.getLong(3),
                new StoreState.Tokens(row.getInt(4), row.getLong(5)),
                row.getLong(6),
                row.getLong(7));
    }
}
