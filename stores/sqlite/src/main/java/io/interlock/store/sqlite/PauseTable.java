package io.interlock.store.sqlite;

import io.interlock.run.Pause;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table {@code pause}, on one session. */
final class PauseTable {

    private static final String OF_TENANT = """
            SELECT tenant, pattern, actor, reason, since, until
              FROM ${schema}.${prefix}pause WHERE tenant = ? ORDER BY since, pattern
            """;

    private static final String PUT = """
            REPLACE INTO ${schema}.${prefix}pause (tenant, pattern, actor, reason, since, until)
            VALUES (?, ?, ?, ?, ?, ?)
            """;

    private static final String DELETE = "DELETE FROM ${schema}.${prefix}pause WHERE tenant = ? AND pattern = ?";

    private static final String ALL = """
            SELECT tenant, pattern, actor, reason, since, until FROM ${schema}.${prefix}pause ORDER BY tenant, pattern
            """;

    private final Session session;

    PauseTable(Session session) {
        this.session = session;
    }

    /** The pauses of a tenant, also those that have ended by themselves. */
    List<Pause> of(String tenant) throws SQLException {
        PreparedStatement ofTenant = session.prepare(OF_TENANT);
        ofTenant.setString(1, tenant);
        return pauses(ofTenant);
    }

    /** The pauses of one tenant or, with {@code null}, of all, also those that have ended by themselves. */
    List<Pause> all(@Nullable String tenant) throws SQLException {
        return tenant == null ? pauses(session.prepare(ALL)) : of(tenant);
    }

    Optional<Pause> find(String tenant, String pattern) throws SQLException {
        return of(tenant).stream()
                .filter(pause -> pause.pattern().equals(pattern))
                .findFirst();
    }

    void put(Pause pause) throws SQLException {
        PreparedStatement put = session.prepare(PUT);
        put.setString(1, pause.tenant());
        put.setString(2, pause.pattern());
        put.setString(3, pause.actor());
        put.setString(4, pause.reason());
        put.setLong(5, Micros.of(pause.since()));
        put.setObject(6, pause.end().map(Micros::of).orElse(null));
        put.executeUpdate();
    }

    void delete(Pause pause) throws SQLException {
        PreparedStatement delete = session.prepare(DELETE);
        delete.setString(1, pause.tenant());
        delete.setString(2, pause.pattern());
        delete.executeUpdate();
    }

    private static List<Pause> pauses(PreparedStatement query) throws SQLException {
        List<Pause> found = new ArrayList<>();
        try (ResultSet row = query.executeQuery()) {
            while (row.next()) {
                found.add(new Pause(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        Micros.moment(row.getLong(5)),
                        row.getObject(6) == null ? null : Micros.moment(row.getLong(6))));
            }
        }
        return found;
    }
}
