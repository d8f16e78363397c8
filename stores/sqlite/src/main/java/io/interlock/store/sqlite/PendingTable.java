package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.ClaimRequest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Runs that wait for a worker, and those that a claim has taken, in the table {@code run} on one session. */
final class PendingTable {

    // As Line.order says it: the priority, and one more for every full minute, up to ten; then whoever came first.
    // Among
    // tenants the first of each goes before the second of any.
    private static final String PENDING = """
            SELECT tenant, name FROM (
              SELECT tenant, name, number, effective,
                     row_number() OVER (PARTITION BY tenant ORDER BY effective DESC, number) AS place
                FROM (
                  SELECT tenant, name, number,
                         priority + min(10, max(0, ?1 - submitted_at) / 60000000) AS effective
                    FROM ${schema}.${prefix}run AS run
                   WHERE %s state = 'PENDING' AND job IN (SELECT value FROM json_each(?2))
                     AND NOT EXISTS (
                           SELECT 1 FROM ${schema}.${prefix}pause AS pause
                            WHERE pause.tenant = run.tenant AND (until IS NULL OR until > ?1)
                              AND (pattern = name
                                   OR (substr(pattern, -1) = '*'
                                       AND substr(name, 1, length(pattern) - 1)
                                           = substr(pattern, 1, length(pattern) - 1))))))
             ORDER BY place, effective DESC, number LIMIT ?3
            """;

    private static final String OF_ALL = String.format(PENDING, "");
    private static final String OF_TENANT = String.format(PENDING, "tenant = ?4 AND");

    private static final String TENANTS = "SELECT DISTINCT tenant FROM ${schema}.${prefix}run WHERE state = 'PENDING'";

    private static final String TAKEN =
            "SELECT tenant, name FROM ${schema}.${prefix}run WHERE claim_id = ? AND state = 'RUNNING' ORDER BY number";

    private static final String TAKE = "UPDATE ${schema}.${prefix}run SET claim_id = ? WHERE number = ?";

    private final Session session;

    PendingTable(Session session) {
        this.session = session;
    }

    /** The keys of the first runs {@code request} could take, in their order; keys that are paused excepted. */
    List<LockKey> first(ClaimRequest request, long now, int limit) throws SQLException {
        String tenant = request.tenant();
        PreparedStatement first = session.prepare(tenant == null ? OF_ALL : OF_TENANT);
        first.setLong(1, now);
        first.setString(2, array(request));
        first.setInt(3, limit);
        if (tenant != null) {
            first.setString(4, tenant);
        }
        return keys(first);
    }

    /** Tenants with runs that wait for a worker. */
    Set<String> tenants() throws SQLException {
        Set<String> tenants = new HashSet<>();
        try (ResultSet rows = session.prepare(TENANTS).executeQuery()) {
            while (rows.next()) {
                tenants.add(rows.getString(1));
            }
        }
        return tenants;
    }

    /** The keys of runs that a claim has taken, and that have not ended. */
    List<LockKey> takenBy(UUID claim) throws SQLException {
        PreparedStatement taken = session.prepare(TAKEN);
        taken.setString(1, claim.toString());
        return keys(taken);
    }

    /** Remembers which claim has taken {@code run}. */
    void take(Run run, UUID claim) throws SQLException {
        PreparedStatement take = session.prepare(TAKE);
        take.setString(1, claim.toString());
        take.setLong(2, run.number());
        take.executeUpdate();
    }

    // Names of jobs have no character that JSON would escape.
    private static String array(ClaimRequest request) {
        return request.jobs().stream().map(JobName::value).collect(Collectors.joining("\",\"", "[\"", "\"]"));
    }

    static List<LockKey> keys(PreparedStatement query) throws SQLException {
        List<LockKey> found = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                found.add(LockKey.of(rows.getString(1), rows.getString(2)));
            }
        }
        return found;
    }
}
