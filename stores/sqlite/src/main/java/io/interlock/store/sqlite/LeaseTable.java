package io.interlock.store.sqlite;

import io.interlock.Eviction;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code lease}, on one session. */
final class LeaseTable {

    private static final String COLUMNS = """
            SELECT tenant, name, lease_id, instance, label, run_id, token, granted_at, expires_at, lock_delay, probed,
                   evicted_by, evicted_why, evicted_at
              FROM ${schema}.${prefix}lease
            """;

    private static final String FIND = COLUMNS + "WHERE tenant = ? AND name = ?";

    // A run that has its grace keeps its lease, and is not even looked at.
    private static final String OVER = COLUMNS + """
            AS lease WHERE expires_at + lock_delay <= ?1 AND (probed = 0 OR evicted_at IS NOT NULL)
              AND NOT EXISTS (
                    SELECT 1 FROM ${schema}.${prefix}run AS run JOIN ${schema}.${prefix}room AS room USING (tenant, name)
                     WHERE run.tenant = lease.tenant AND run.name = lease.name AND due_at > ?1
                       AND state IN ('PENDING', 'RUNNING') AND state = 'RUNNING')
            ORDER BY expires_at + lock_delay LIMIT ?2
            """;

    private static final String LIST_ALL = COLUMNS + """
            WHERE (tenant, name) > (?, ?) AND expires_at > ? AND substr(name, 1, length(?4)) = ?4
            ORDER BY tenant, name LIMIT ?5
            """;

    private static final String LIST_TENANT = COLUMNS + """
            WHERE tenant = ?1 AND name > ?2 AND expires_at > ?3 AND name >= ?4 AND substr(name, 1, length(?4)) = ?4
            ORDER BY name LIMIT ?5
            """;

    private static final String PUT = """
            REPLACE INTO ${schema}.${prefix}lease
              (tenant, name, lease_id, instance, label, run_id, token, granted_at, expires_at, lock_delay, probed,
               evicted_by, evicted_why, evicted_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String DELETE = "DELETE FROM ${schema}.${prefix}lease WHERE tenant = ? AND name = ?";

    private static final String END_ALL =
            "UPDATE ${schema}.${prefix}lease SET expires_at = max(granted_at, ?1) WHERE expires_at > ?1";

    private static final String GREATEST_TOKEN = "SELECT coalesce(max(token), 0) FROM ${schema}.${prefix}lease";

    private final Session session;

    LeaseTable(Session session) {
        this.session = session;
    }

    @Nullable
    StoredLease find(LockKey key) throws SQLException {
        PreparedStatement find = session.prepare(FIND);
        find.setString(1, key.tenant());
        find.setString(2, key.name());
        try (ResultSet row = find.executeQuery()) {
            return row.next() ? lease(row) : null;
        }
    }

    /** Leases whose key is open at {@code now}, the longest ended first. */
    List<StoredLease> over(long now, int limit) throws SQLException {
        PreparedStatement over = session.prepare(OVER);
        over.setLong(1, now);
        over.setInt(2, limit);
        return leases(over);
    }

    /** What {@code query} asks for, and one more if there is one. */
    List<StoredLease> list(LeaseQuery query, long now) throws SQLException {
        LockKey after = query.after();
        String tenant = query.tenant();
        if (tenant != null && after != null && after.tenant().compareTo(tenant) > 0) {
            return List.of();
        }
        PreparedStatement list = session.prepare(tenant == null ? LIST_ALL : LIST_TENANT);
        if (tenant == null) {
            list.setString(1, after == null ? "" : after.tenant());
            list.setString(2, after == null ? "" : after.name());
        } else {
            list.setString(1, tenant);
            list.setString(2, after == null || !after.tenant().equals(tenant) ? "" : after.name());
        }
        list.setLong(3, now);
        list.setString(4, query.namePrefix());
        list.setInt(5, query.limit() + 1);
        return leases(list);
    }

    void put(StoredLease lease) throws SQLException {
        Eviction eviction = lease.eviction();
        RunId run = lease.holder().run();
        PreparedStatement put = session.prepare(PUT);
        put.setString(1, lease.key().tenant());
        put.setString(2, lease.key().name());
        put.setString(3, lease.id().toString());
        put.setString(4, lease.holder().instance());
        put.setString(5, lease.holder().label());
        put.setString(6, run == null ? null : run.toString());
        put.setLong(7, lease.token().value());
        put.setLong(8, lease.span().grantedAt());
        put.setLong(9, lease.span().expiresAt());
        put.setLong(10, lease.span().lockDelay());
        put.setBoolean(11, lease.probed());
        put.setString(12, eviction == null ? null : eviction.actor());
        put.setString(13, eviction == null ? null : eviction.reason());
        put.setObject(14, eviction == null ? null : Micros.of(eviction.at()));
        put.executeUpdate();
    }

    void delete(LockKey key) throws SQLException {
        PreparedStatement delete = session.prepare(DELETE);
        delete.setString(1, key.tenant());
        delete.setString(2, key.name());
        delete.executeUpdate();
    }

    /** Ends every lease at {@code moment} that would end later. */
    void endAllAt(long moment) throws SQLException {
        PreparedStatement end = session.prepare(END_ALL);
        end.setLong(1, moment);
        end.executeUpdate();
    }

    long greatestToken() throws SQLException {
        try (ResultSet row = session.prepare(GREATEST_TOKEN).executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static List<StoredLease> leases(PreparedStatement query) throws SQLException {
        List<StoredLease> found = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                found.add(lease(rows));
            }
        }
        return found;
    }

    private static StoredLease lease(ResultSet row) throws SQLException {
        String run = row.getString(6);
        String actor = row.getString(12);
        return new StoredLease(
                LockKey.of(row.getString(1), row.getString(2)),
                LeaseId.parse(row.getString(3)),
                new Holder(row.getString(4), row.getString(5), run == null ? null : RunId.parse(run)),
                new FencingToken(row.getLong(7)),
                new StoredLease.Span(row.getLong(8), row.getLong(9), row.getLong(10)),
                row.getBoolean(11),
                actor == null ? null : new Eviction(actor, row.getString(13), Micros.moment(row.getLong(14))));
    }
}
