package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.KeyQuery;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.Tally;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Everything at once, on one session. */
final class ViewTable {

    // Each side is cut before they are brought together, so that a page costs no more than a page.
    private static final String KEYS = """
            SELECT ?1, name FROM (
              SELECT name FROM (
                SELECT name FROM ${schema}.${prefix}lease
                 WHERE tenant = ?1 AND name > ?2 AND name >= ?3 AND substr(name, 1, length(?3)) = ?3
                 ORDER BY name LIMIT ?4)
              UNION
              SELECT name FROM (
                SELECT DISTINCT name FROM ${schema}.${prefix}run INDEXED BY ${prefix}run_open
                 WHERE tenant = ?1 AND name > ?2 AND name >= ?3 AND substr(name, 1, length(?3)) = ?3
                   AND state IN ('QUEUED', 'PENDING', 'RUNNING')
                 ORDER BY name LIMIT ?4))
             ORDER BY name LIMIT ?4
            """;

    private static final String TALLIES = """
            SELECT tenant, job, state, count(*), min(since)
              FROM ${schema}.${prefix}run INDEXED BY ${prefix}run_open
             WHERE state IN ('QUEUED', 'PENDING', 'RUNNING') GROUP BY tenant, job, state
            UNION ALL
            SELECT tenant, job, state, count(*), min(since)
              FROM ${schema}.${prefix}run AS dead INDEXED BY ${prefix}run_dead
             WHERE state = 'DEAD'
               AND NOT EXISTS (SELECT 1 FROM ${schema}.${prefix}disposition AS done WHERE done.number = dead.number)
             GROUP BY tenant, job, state
             ORDER BY 1, 2, 3
            """;

    private static final String RESOURCES = """
            SELECT tenant, name, resource_kind, resource_state, resource_version, resource_owner
              FROM ${schema}.${prefix}room
             WHERE (tenant, name) > (?1, ?2) AND resource_kind = ?3
             ORDER BY tenant, name LIMIT ?4
            """;

    private final Session session;

    ViewTable(Session session) {
        this.session = session;
    }

    /** Keys with a lease, or with runs that have not ended, in the order of their names. */
    List<LockKey> keys(KeyQuery query) throws SQLException {
        PreparedStatement keys = session.prepare(KEYS);
        keys.setString(1, query.tenant());
        keys.setString(2, query.after() == null ? "" : query.after());
        keys.setString(3, query.prefix());
        keys.setInt(4, query.limit());
        return PendingTable.keys(keys);
    }

    List<Tally> tallies() throws SQLException {
        List<Tally> found = new ArrayList<>();
        try (ResultSet row = session.prepare(TALLIES).executeQuery()) {
            while (row.next()) {
                found.add(new Tally(
                        row.getString(1),
                        new JobName(row.getString(2)),
                        RunState.valueOf(row.getString(3)),
                        row.getLong(4),
                        Micros.moment(row.getLong(5))));
            }
        }
        return found;
    }

    /** Resources of a kind, of all tenants, in the order of their keys. */
    List<Resource> resources(ResourceQuery query) throws SQLException {
        PreparedStatement resources = session.prepare(RESOURCES);
        LockKey after = query.after();
        resources.setString(1, after == null ? "" : after.tenant());
        resources.setString(2, after == null ? "" : after.name());
        resources.setString(3, query.kind());
        resources.setInt(4, query.limit());
        List<Resource> found = new ArrayList<>();
        try (ResultSet row = resources.executeQuery()) {
            while (row.next()) {
                String owner = row.getString(6);
                found.add(new Resource(
                        LockKey.of(row.getString(1), row.getString(2)),
                        row.getString(3),
                        row.getString(4),
                        row.getLong(5),
                        owner == null ? null : RunId.parse(owner)));
            }
        }
        return found;
    }
}
