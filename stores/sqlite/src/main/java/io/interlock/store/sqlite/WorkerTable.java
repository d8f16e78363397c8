package io.interlock.store.sqlite;

import io.interlock.Holder;
import io.interlock.run.JobName;
import io.interlock.run.WorkerNote;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table {@code worker}, on one session. */
final class WorkerTable {

    private static final String PUT = """
            REPLACE INTO ${schema}.${prefix}worker (instance, label, jobs, slots, busy, version, seen_at, tenant)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String FORGET_MORE = """
            DELETE FROM ${schema}.${prefix}worker WHERE instance IN (
              SELECT instance FROM ${schema}.${prefix}worker
               WHERE tenant IS ?1 AND version = ?2 ORDER BY seen_at DESC, instance LIMIT -1 OFFSET ?3)
            """;

    // Workers of the tenant, and those of any tenant, each by the index: what other tenants have is not looked at.
    private static final String WORKERS = """
            SELECT instance, label, jobs, slots, busy, version, seen_at, tenant
              FROM ${schema}.${prefix}worker WHERE tenant = ?1 AND seen_at >= ?2
             UNION ALL
            SELECT instance, label, jobs, slots, busy, version, seen_at, tenant
              FROM ${schema}.${prefix}worker WHERE tenant IS NULL AND seen_at >= ?2
             ORDER BY seen_at DESC, instance LIMIT ?3
            """;

    private final Session session;

    WorkerTable(Session session) {
        this.session = session;
    }

    void put(WorkerNote note, long now) throws SQLException {
        PreparedStatement put = session.prepare(PUT);
        put.setString(1, note.worker().instance());
        put.setString(2, note.worker().label());
        put.setString(3, note.jobs().stream().map(JobName::value).sorted().collect(Collectors.joining(" ")));
        put.setInt(4, note.slots());
        put.setInt(5, note.busy());
        put.setString(6, note.version());
        put.setLong(7, now);
        put.setString(8, note.tenant());
        put.executeUpdate();
        if (note.isRemote()) {
            PreparedStatement forget = session.prepare(FORGET_MORE);
            forget.setString(1, note.tenant());
            forget.setString(2, WorkerNote.REMOTE);
            forget.setInt(3, WorkerNote.MOST_REMOTE);
            forget.executeUpdate();
        }
    }

    /** Up to {@code limit} workers for a tenant that were there at {@code since} or later. */
    List<WorkerNote> workers(String tenant, long since, int limit) throws SQLException {
        PreparedStatement workers = session.prepare(WORKERS);
        workers.setString(1, tenant);
        workers.setLong(2, since);
        workers.setInt(3, limit);
        List<WorkerNote> found = new ArrayList<>();
        try (ResultSet row = workers.executeQuery()) {
            while (row.next()) {
                found.add(new WorkerNote(
                        new Holder(row.getString(1), row.getString(2)),
                        row.getString(8),
                        Stream.of(row.getString(3).split(" ", -1))
                                .filter(name -> !name.isEmpty())
                                .map(JobName::new)
                                .collect(Collectors.toSet()),
                        row.getInt(4),
                        row.getInt(5),
                        row.getString(6),
                        Micros.moment(row.getLong(7))));
            }
        }
        return found;
    }
}
