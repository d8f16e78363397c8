package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.spi.run.rules.Reservation;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code room}, on one session. */
final class RoomTable {

    private static final String FIND = """
            SELECT reserved_for, reserved_since, reserved_until, resource_kind, resource_state, resource_version,
                   resource_owner, due_at, blocked_below, blocked_number
              FROM ${schema}.${prefix}room WHERE tenant = ? AND name = ?
            """;

    private static final String PUT = """
            REPLACE INTO ${schema}.${prefix}room
              (tenant, name, reserved_for, reserved_since, reserved_until, resource_kind, resource_state,
               resource_version, resource_owner, due_at, blocked_below, blocked_number)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String DELETE = "DELETE FROM ${schema}.${prefix}room WHERE tenant = ? AND name = ?";

    private static final String CONCERNS = """
            SELECT EXISTS (SELECT 1 FROM ${schema}.${prefix}room WHERE tenant = ?1 AND name = ?2)
                OR EXISTS (SELECT 1 FROM ${schema}.${prefix}pause WHERE tenant = ?1)
            """;

    private static final String DUE =
            "SELECT tenant, name FROM ${schema}.${prefix}room WHERE due_at <= ? ORDER BY due_at LIMIT ?";

    private static final String DUE_OF_TENANT = """
            SELECT tenant, name FROM ${schema}.${prefix}room WHERE due_at <= ?1 AND tenant = ?3 ORDER BY due_at LIMIT ?2
            """;

    private static final String BLOCKED_TENANTS =
            "SELECT DISTINCT tenant FROM ${schema}.${prefix}room WHERE blocked_number IS NOT NULL";

    private static final String UNBLOCKED = """
            SELECT tenant, name FROM ${schema}.${prefix}room
             WHERE tenant = ? AND blocked_number IS NOT NULL AND blocked_below > ? ORDER BY blocked_number LIMIT 1
            """;

    private static final String QUEUED = """
            SELECT tenant, name FROM ${schema}.${prefix}run
             WHERE tenant = ?1 AND name >= ?2 AND substr(name, 1, length(?2)) = ?2
               AND state IN ('QUEUED', 'PENDING', 'RUNNING') AND state = 'QUEUED'
             GROUP BY tenant, name ORDER BY min(number)
            """;

    private static final String DUE_AT =
            "UPDATE ${schema}.${prefix}room SET due_at = min(coalesce(due_at, ?3), ?3) WHERE tenant = ?1 AND name = ?2";

    private static final String DUE_ALL = "UPDATE ${schema}.${prefix}room SET due_at = ?1 WHERE due_at > ?1";

    private final Session session;

    RoomTable(Session session) {
        this.session = session;
    }

    /** Whether runs may have something to do with the key: it has some, or a resource, or its tenant has pauses. */
    boolean concerns(LockKey key) throws SQLException {
        try (ResultSet row = at(key, CONCERNS).executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    @Nullable
    RoomRow find(LockKey key) throws SQLException {
        try (ResultSet row = at(key, FIND).executeQuery()) {
            return row.next() ? new RoomRow(key, reservation(row), resource(key, row), due(row)) : null;
        }
    }

    void put(RoomRow room) throws SQLException {
        Reservation kept = room.reservation();
        Resource resource = room.resource();
        Due.Blocked blocked = room.due().blocked();
        PreparedStatement put = at(room.key(), PUT);
        put.setString(3, kept == null ? null : kept.run().toString());
        put.setObject(4, kept == null ? null : Micros.of(kept.since()));
        put.setObject(5, kept == null || kept.until() == null ? null : Micros.of(kept.until()));
        put.setString(6, resource == null ? null : resource.kind());
        put.setString(7, resource == null ? null : resource.state());
        put.setObject(8, resource == null ? null : resource.version());
        put.setString(
                9,
                resource == null || resource.owner() == null
                        ? null
                        : resource.owner().toString());
        put.setObject(10, room.due().at());
        put.setObject(11, blocked == null ? null : blocked.below());
        put.setObject(12, blocked == null ? null : blocked.number());
        put.executeUpdate();
    }

    void delete(LockKey key) throws SQLException {
        at(key, DELETE).executeUpdate();
    }

    /** Rooms in which something is due, of one tenant or of all, the longest due first. */
    List<LockKey> due(@Nullable String tenant, long now, int limit) throws SQLException {
        PreparedStatement due = session.prepare(tenant == null ? DUE : DUE_OF_TENANT);
        due.setLong(1, now);
        due.setInt(2, limit);
        if (tenant != null) {
            due.setString(3, tenant);
        }
        return PendingTable.keys(due);
    }

    /** Tenants whose limit keeps somebody waiting, or kept when last looked at. */
    List<String> blockedTenants() throws SQLException {
        List<String> tenants = new ArrayList<>();
        try (ResultSet rows = session.prepare(BLOCKED_TENANTS).executeQuery()) {
            while (rows.next()) {
                tenants.add(rows.getString(1));
            }
        }
        return tenants;
    }

    /** The room with the first run that has a turn now that only {@code busy} runs of the tenant are under way. */
    List<LockKey> unblocked(String tenant, int busy) throws SQLException {
        PreparedStatement unblocked = session.prepare(UNBLOCKED);
        unblocked.setString(1, tenant);
        unblocked.setInt(2, busy);
        return PendingTable.keys(unblocked);
    }

    /** Makes a room due at {@code moment}, if it would be later. */
    void dueAt(LockKey key, long moment) throws SQLException {
        PreparedStatement due = at(key, DUE_AT);
        due.setLong(3, moment);
        due.executeUpdate();
    }

    /** Keys under a pause for which somebody waits, whoever has waited longest first. */
    List<LockKey> queued(Pause pause) throws SQLException {
        String pattern = pause.pattern();
        PreparedStatement queued = session.prepare(QUEUED);
        queued.setString(1, pause.tenant());
        queued.setString(2, pattern.endsWith("*") ? pattern.substring(0, pattern.length() - 1) : pattern);
        return PendingTable.keys(queued).stream().filter(pause::covers).toList();
    }

    /** Makes everything due at {@code moment} that would be due later. */
    void dueAllAt(long moment) throws SQLException {
        PreparedStatement due = session.prepare(DUE_ALL);
        due.setLong(1, moment);
        due.executeUpdate();
    }

    private PreparedStatement at(LockKey key, String sql) throws SQLException {
        PreparedStatement statement = session.prepare(sql);
        statement.setString(1, key.tenant());
        statement.setString(2, key.name());
        return statement;
    }

    private static @Nullable Reservation reservation(ResultSet row) throws SQLException {
        String run = row.getString(1);
        return run == null
                ? null
                : new Reservation(
                        RunId.parse(run),
                        Micros.moment(row.getLong(2)),
                        row.getObject(3) == null ? null : Micros.moment(row.getLong(3)));
    }

    private static @Nullable Resource resource(LockKey key, ResultSet row) throws SQLException {
        String kind = row.getString(4);
        String owner = row.getString(7);
        return kind == null
                ? null
                : new Resource(key, kind, row.getString(5), row.getLong(6), owner == null ? null : RunId.parse(owner));
    }

    private static Due due(ResultSet row) throws SQLException {
        return new Due(
                row.getObject(8) == null ? null : row.getLong(8),
                row.getObject(9) == null ? null : new Due.Blocked(row.getInt(9), row.getLong(10)));
    }
}
