package io.interlock.store.sqlite;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditRecord;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code audit}, on one session. */
final class AuditTable {

    private static final String APPEND = """
            INSERT INTO ${schema}.${prefix}audit
              (at, tenant, name, run_id, token, actor, action, state_before, state_after, reason, correlation)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String OF_KEY = """
            SELECT sequence, at, tenant, name, run_id, token, actor, action, state_before, state_after, reason, correlation
              FROM ${schema}.${prefix}audit WHERE tenant = ? AND name = ? ORDER BY sequence
            """;

    private final Session session;

    AuditTable(Session session) {
        this.session = session;
    }

    /** Adds a record at the end, which gives it its number. */
    void append(AuditRecord record) throws SQLException {
        RunId run = record.run();
        FencingToken token = record.token();
        PreparedStatement append = session.prepare(APPEND);
        append.setLong(1, Micros.of(record.at()));
        append.setString(2, record.key().tenant());
        append.setString(3, record.key().name());
        append.setString(4, run == null ? null : run.toString());
        append.setObject(5, token == null ? null : token.value());
        append.setString(6, record.actor());
        append.setString(7, record.action());
        append.setString(8, record.before());
        append.setString(9, record.after());
        append.setString(10, record.reason());
        append.setString(11, record.correlation());
        append.executeUpdate();
    }

    List<AuditRecord> of(LockKey key) throws SQLException {
        PreparedStatement ofKey = session.prepare(OF_KEY);
        ofKey.setString(1, key.tenant());
        ofKey.setString(2, key.name());
        List<AuditRecord> found = new ArrayList<>();
        try (ResultSet rows = ofKey.executeQuery()) {
            while (rows.next()) {
                found.add(record(rows));
            }
        }
        return found;
    }

    private static AuditRecord record(ResultSet row) throws SQLException {
        String run = row.getString(5);
        return new AuditRecord(
                row.getLong(1),
                Micros.moment(row.getLong(2)),
                LockKey.of(row.getString(3), row.getString(4)),
                run == null ? null : RunId.parse(run),
                token(row),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getString(11),
                row.getString(12));
    }

    private static @Nullable FencingToken token(ResultSet row) throws SQLException {
        long token = row.getLong(6);
        return token == 0 ? null : new FencingToken(token);
    }
}
