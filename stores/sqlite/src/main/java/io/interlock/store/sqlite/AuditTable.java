package io.interlock.store.sqlite;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table {@code audit}, on one session. */
final class AuditTable {

    private static final String APPEND = """
            INSERT INTO ${schema}.${prefix}audit
              (at, tenant, name, run_id, token, actor, action, state_before, state_after, reason, correlation)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String COLUMNS = """
            SELECT sequence, at, tenant, name, run_id, token, actor, action, state_before, state_after, reason, correlation
              FROM ${schema}.${prefix}audit
            """;

    private static final String LAST = "SELECT coalesce(max(sequence), 0) FROM ${schema}.${prefix}audit";

    private static final String LAST_NUMBER = """
            SELECT coalesce(max(seq), 0) FROM ${schema}.sqlite_sequence WHERE name = '${prefix}audit'
            """;

    // Whatever makes work for workers is in the log: a run whose turn it is, or the end of a pause.
    private static final String NEWS = """
            SELECT DISTINCT tenant FROM ${schema}.${prefix}audit
             WHERE sequence > ? AND (state_after = 'PENDING' OR action = 'resumed')
            """;

    private static final String STOPS = """
            SELECT DISTINCT tenant, name FROM ${schema}.${prefix}audit
             WHERE sequence > ? AND action IN ('stop-requested', 'evicted')
            """;

    private static final String DELETE = "DELETE FROM ${schema}.${prefix}audit WHERE sequence = ?";

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

    /** What was done under a key, in order. */
    List<AuditRecord> of(LockKey key) throws SQLException {
        return records(new Filter("WHERE tenant = ? AND name = ? ORDER BY sequence", key.tenant(), key.name()));
    }

    /** What a query asks for, the newest first. */
    List<AuditRecord> list(AuditQuery query) throws SQLException {
        return records(Filter.of(query));
    }

    /** Records with greater numbers, in order. */
    List<AuditRecord> after(long sequence, int limit) throws SQLException {
        return records(new Filter("WHERE sequence > ? ORDER BY sequence LIMIT ?", sequence, limit));
    }

    @Nullable
    AuditRecord find(long sequence) throws SQLException {
        List<AuditRecord> found = records(new Filter("WHERE sequence = ?", sequence));
        return found.isEmpty() ? null : found.get(0);
    }

    void delete(long sequence) throws SQLException {
        PreparedStatement delete = session.prepare(DELETE);
        delete.setLong(1, sequence);
        delete.executeUpdate();
    }

    /** The number of the last record; 0 if there is none. */
    long last() throws SQLException {
        return number(LAST);
    }

    /** The last number that was given, also if the record is gone. */
    long lastNumber() throws SQLException {
        return number(LAST_NUMBER);
    }

    private long number(String query) throws SQLException {
        try (ResultSet row = session.prepare(query).executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Tenants whose workers may find something to do since record number {@code sequence}. */
    Set<String> tenantsWithWorkSince(long sequence) throws SQLException {
        PreparedStatement news = session.prepare(NEWS);
        news.setLong(1, sequence);
        Set<String> tenants = new HashSet<>();
        try (ResultSet rows = news.executeQuery()) {
            while (rows.next()) {
                tenants.add(rows.getString(1));
            }
        }
        return tenants;
    }

    /** Keys whose holders were asked to stop, or had to, since record number {@code sequence}. */
    Set<LockKey> stopsSince(long sequence) throws SQLException {
        PreparedStatement stops = session.prepare(STOPS);
        stops.setLong(1, sequence);
        Set<LockKey> keys = new HashSet<>();
        try (ResultSet rows = stops.executeQuery()) {
            while (rows.next()) {
                keys.add(LockKey.of(rows.getString(1), rows.getString(2)));
            }
        }
        return keys;
    }

    private List<AuditRecord> records(Filter filter) throws SQLException {
        List<AuditRecord> found = new ArrayList<>();
        try (ResultSet rows = filter.prepare(session, COLUMNS).executeQuery()) {
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
