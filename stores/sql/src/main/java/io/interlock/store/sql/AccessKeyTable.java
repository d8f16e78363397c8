package io.interlock.store.sql;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AccessKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code access_key}: API keys without their secrets. What is changed and the audit record of it are written in one
 * transaction, the key first: an audit record's number is drawn by a transaction that has written before. Safe for use by
 * many threads.
 */
final class AccessKeyTable implements AccessKeys {

    private static final String COLUMNS = """
            id text, tenant text, role text, label text, hash text, created_at bigint, expires_at bigint""";
    private static final String SELECT =
            "SELECT " + Dialect.select("x", COLUMNS) + ", x.revoked_at, x.used_at FROM ${t:access_key} AS x";
    private static final String FIND = SELECT + " WHERE x.id = ?";
    private static final String LOCK = FIND + " ${lock:x}";
    private static final String REVOKE = "UPDATE ${t:access_key} SET revoked_at = ? WHERE id = ?";

    private static final String USED =
            "UPDATE ${t:access_key} SET used_at = ? WHERE id = ? AND (used_at IS NULL OR used_at < ?)";

    private final Database database;

    AccessKeyTable(Database database) {
        this.database = database;
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
        AccessKey kept = database.write(Database.Lane.STEPS, transaction -> {
            Trip first = transaction.trip();
            transaction.dialect().latchShared(first);
            Trip.Answer<StoreRow> store = StoreRow.ask(first);
            Trip.Answer<Optional<AccessKey>> known = first.query(FIND, Trip.first(AccessKeyTable::read), key.id());
            first.run();
            if (known.get().isPresent()) {
                transaction.confirm();
                return known.get().get();
            }
            Instant now = Micros.moment(store.get().now());
            Instant end = key.expiresAt();
            // If another one adds the same key meanwhile, this fails as a duplicate, is made again, and finds it.
            Trip last = transaction.trip();
            last.update(
                    transaction.dialect().insert("access_key", COLUMNS),
                    Rows.of(
                            key.id(),
                            key.tenant(),
                            key.role().name(),
                            Texts.shown(key.label()),
                            key.hash(),
                            Micros.of(now),
                            end == null ? null : Micros.of(end)));
            Trip.Answer<List<AccessKey>> written = last.list(FIND, AccessKeyTable::read, key.id());
            AuditTable.add(
                    last,
                    AuditRecord.of(
                            now,
                            key.logKey(),
                            actor,
                            "key-added",
                            "",
                            key.role().name(),
                            key.label()));
            transaction.commit(last);
            return written.get().get(0);
        });
        if (!kept.hash().equals(key.hash())) {
            throw new InvalidSettingException("key id", key.id(), "is that of another key", "draw another");
        }
        return kept;
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return isId(id) ? new Filter(FIND, id).ask(database, Trip.first(AccessKeyTable::read)) : Optional.empty();
    }

    // What cannot be an id is not sent to the database, which may not know such characters.
    private static boolean isId(String id) {
        return id.chars().allMatch(c -> c < 128 && Character.isLetterOrDigit(c));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return List.copyOf(new Filter(SELECT)
                .andIf("WHERE x.tenant = ?", tenant)
                .and("ORDER BY x.number")
                .list(database, AccessKeyTable::read));
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        if (!isId(id)) {
            return Optional.empty();
        }
        return database.write(Database.Lane.STEPS, transaction -> {
            Trip first = transaction.trip();
            transaction.dialect().latchShared(first);
            Trip.Answer<Optional<AccessKey>> found = first.query(LOCK, Trip.first(AccessKeyTable::read), id);
            Trip.Answer<StoreRow> store = StoreRow.ask(first);
            first.run();
            AccessKey known = found.get().orElse(null);
            if (known == null || known.revokedAt() != null) {
                transaction.confirm();
                return Optional.ofNullable(known);
            }
            Instant now = Micros.moment(store.get().now());
            Trip last = transaction.trip();
            last.update(REVOKE, Micros.of(now), id);
            AuditTable.add(
                    last,
                    AuditRecord.of(
                            now,
                            known.logKey(),
                            actor,
                            "key-revoked",
                            known.role().name(),
                            "",
                            reason));
            transaction.commit(last);
            return Optional.of(known.revoked(now));
        });
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        database.write(Database.Lane.STEPS, transaction -> {
            long now = StoreRow.read(transaction).now();
            Trip last = transaction.trip();
            // In the order of their names, as all do: two nodes never wait for each other.
            ids.forEach(id -> last.update(USED, now, id, now));
            transaction.commit(last);
            return ids;
        });
    }

    private static AccessKey read(ResultSet row) throws SQLException {
        return new AccessKey(
                row.getString(1),
                row.getString(2),
                Role.valueOf(row.getString(3)),
                row.getString(4),
                row.getString(5),
                Micros.moment(row.getLong(6)),
                Micros.read(row, 7),
                Micros.read(row, 8),
                Micros.read(row, 9));
    }
}
