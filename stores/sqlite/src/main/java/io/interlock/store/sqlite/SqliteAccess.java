package io.interlock.store.sqlite;

import io.interlock.InvalidSettingException;
import io.interlock.StoreCapabilities;
import io.interlock.access.AccessKey;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AccessKeys;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The API keys a {@link SqliteStore} keeps. */
abstract class SqliteAccess extends SqliteBooks implements AccessKeys {

    SqliteAccess(Lanes lanes, DataVersionFeed feed, StoreCapabilities capabilities) {
        super(lanes, feed, capabilities);
    }

    @Override
    public AccessKey addKey(AccessKey key, String actor) {
        return lanes.lookThenWrite(step -> {
            AccessTable table = new AccessTable(step.session());
            AccessKey known = table.find(key.id()).orElse(null);
            if (known != null && !known.hash().equals(key.hash())) {
                throw new InvalidSettingException("key id", key.id(), "is that of another key", "draw another");
            }
            if (known != null) {
                return known;
            }
            Instant now = Micros.moment(step.now());
            AccessKey kept = at(key, now, null);
            if (step.mayWrite()) {
                table.put(kept);
                note(step, kept, now, actor, "key-added", "", kept.role().name(), kept.label());
            }
            return kept;
        });
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return lanes.look(step -> new AccessTable(step.session()).find(id));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return lanes.look(step -> List.copyOf(new AccessTable(step.session()).list(tenant)));
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, String actor, String reason) {
        return lanes.lookThenWrite(step -> {
            AccessTable table = new AccessTable(step.session());
            AccessKey known = table.find(id).orElse(null);
            if (known == null || known.revokedAt() != null) {
                return Optional.ofNullable(known);
            }
            Instant now = Micros.moment(step.now());
            AccessKey revoked = at(known, known.createdAt(), now);
            if (step.mayWrite()) {
                table.put(revoked);
                note(step, known, now, actor, "key-revoked", known.role().name(), "", reason);
            }
            return Optional.of(revoked);
        });
    }

    private static AccessKey at(AccessKey key, Instant createdAt, @Nullable Instant revokedAt) {
        return new AccessKey(
                key.id(), key.tenant(), key.role(), key.label(), key.hash(), createdAt, key.expiresAt(), revokedAt);
    }

    private static void note(
            Step step,
            AccessKey key,
            Instant now,
            String actor,
            String action,
            String before,
            String after,
            String reason)
            throws SQLException {
        new AuditTable(step.session())
                .append(new AuditRecord(0, now, key.logKey(), null, null, actor, action, before, after, reason, null));
    }
}
