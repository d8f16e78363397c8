package io.interlock.store.sqlite;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table {@code access_key}, on one session. */
final class AccessTable {

    private static final String PUT = """
            INSERT INTO ${schema}.${prefix}access_key
                   (id, tenant, role, label, hash, created_at, expires_at, revoked_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET revoked_at = excluded.revoked_at
            """;

    private static final String COLUMNS =
            "SELECT id, tenant, role, label, hash, created_at, expires_at, revoked_at FROM ${schema}.${prefix}access_key";

    private static final String FIND = COLUMNS + " WHERE id = ?";

    private static final String LIST = COLUMNS + " WHERE ?1 IS NULL OR tenant = ?1 ORDER BY number";

    private final Session session;

    AccessTable(Session session) {
        this.session = session;
    }

    Optional<AccessKey> find(String id) throws SQLException {
        PreparedStatement find = session.prepare(FIND);
        find.setString(1, id);
        return keys(find).stream().findFirst();
    }

    List<AccessKey> list(@Nullable String tenant) throws SQLException {
        PreparedStatement list = session.prepare(LIST);
        list.setString(1, tenant);
        return keys(list);
    }

    void put(AccessKey key) throws SQLException {
        PreparedStatement put = session.prepare(PUT);
        put.setString(1, key.id());
        put.setString(2, key.tenant());
        put.setString(3, key.role().name());
        put.setString(4, key.label());
        put.setString(5, key.hash());
        put.setLong(6, Micros.of(key.createdAt()));
        put.setObject(7, micros(key.expiresAt()));
        put.setObject(8, micros(key.revokedAt()));
        put.executeUpdate();
    }

    private static @Nullable Long micros(@Nullable Instant moment) {
        return moment == null ? null : Micros.of(moment);
    }

    private static List<AccessKey> keys(PreparedStatement query) throws SQLException {
        List<AccessKey> found = new ArrayList<>();
        try (ResultSet row = query.executeQuery()) {
            while (row.next()) {
                found.add(new AccessKey(
                        row.getString(1),
                        row.getString(2),
                        Role.valueOf(row.getString(3)),
                        row.getString(4),
                        row.getString(5),
                        Micros.moment(row.getLong(6)),
                        row.getObject(7) == null ? null : Micros.moment(row.getLong(7)),
                        row.getObject(8) == null ? null : Micros.moment(row.getLong(8))));
            }
        }
        return found;
    }
}
