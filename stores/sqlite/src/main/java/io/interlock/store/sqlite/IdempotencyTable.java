package io.interlock.store.sqlite;

import io.interlock.RunId;
import io.interlock.spi.run.SubmitRequest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The table {@code idempotency}, on one session: what a tenant submitted under a name of its own. */
final class IdempotencyTable {

    private static final String FIND = """
            SELECT fingerprint, run_id
              FROM ${schema}.${prefix}idempotency WHERE tenant = ? AND name = ? AND until > ?
            """;

    private static final String PUT = """
            REPLACE INTO ${schema}.${prefix}idempotency (tenant, name, fingerprint, run_id, until)
            VALUES (?, ?, ?, ?, ?)
            """;

    private final Session session;

    /** What came of the first request under a name. */
    record Remembered(String fingerprint, RunId run) {}

    IdempotencyTable(Session session) {
        this.session = session;
    }

    /** What came of the request a tenant made under that name, if the name still counts at {@code now}. */
    @Nullable
    Remembered find(String tenant, SubmitRequest.Idempotency asked, long now) throws SQLException {
        PreparedStatement find = session.prepare(FIND);
        find.setString(1, tenant);
        find.setString(2, asked.key());
        find.setLong(3, now);
        try (ResultSet row = find.executeQuery()) {
            return row.next() ? new Remembered(row.getString(1), RunId.parse(row.getString(2))) : null;
        }
    }

    void put(String tenant, SubmitRequest.Idempotency asked, RunId run, long now) throws SQLException {
        PreparedStatement put = session.prepare(PUT);
        put.setString(1, tenant);
        put.setString(2, asked.key());
        put.setString(3, asked.fingerprint());
        put.setString(4, run.toString());
        put.setLong(5, Math.addExact(now, Micros.of(asked.keepFor())));
        put.executeUpdate();
    }
}
