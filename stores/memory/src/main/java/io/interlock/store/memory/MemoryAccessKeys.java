package io.interlock.store.memory;

import io.interlock.InvalidSettingException;
import io.interlock.access.AccessKey;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AccessKeys;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** API keys, without their secrets. */
class MemoryAccessKeys implements AccessKeys {

    private final RunTable table;

    MemoryAccessKeys(RunTable table) {
        this.table = table;
    }

    @Override
    public AccessKey addKey(AccessKey key, String actor) {
        return table.alone(rows -> {
            AccessKey known = rows.accessKeys.get(key.id());
            if (known == null) {
                AccessKey kept = at(key, table.now(), null);
                rows.audit.append(record(
                        kept,
                        kept.createdAt(),
                        actor,
                        "key-added",
                        "",
                        kept.role().name(),
                        kept.label()));
                rows.accessKeys.put(kept.id(), kept);
                return kept;
            }
            if (!known.hash().equals(key.hash())) {
                throw new InvalidSettingException("key id", key.id(), "is that of another key", "draw another");
            }
            return known;
        });
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return table.alone(rows -> Optional.ofNullable(rows.accessKeys.get(id)));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return table.alone(rows -> rows.accessKeys.values().stream()
                .filter(key -> tenant == null || tenant.equals(key.tenant()))
                .toList());
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, String actor, String reason) {
        return table.alone(rows -> {
            AccessKey known = rows.accessKeys.get(id);
            if (known == null || known.revokedAt() != null) {
                return Optional.ofNullable(known);
            }
            Instant now = table.now();
            AccessKey revoked = at(known, known.createdAt(), now);
            rows.audit.append(
                    record(known, now, actor, "key-revoked", known.role().name(), "", reason));
            rows.accessKeys.put(id, revoked);
            return Optional.of(revoked);
        });
    }

    private static AccessKey at(AccessKey key, Instant createdAt, @Nullable Instant revokedAt) {
        return new AccessKey(
                key.id(), key.tenant(), key.role(), key.label(), key.hash(), createdAt, key.expiresAt(), revokedAt);
    }

    private static AuditRecord record(
            AccessKey key, Instant at, String actor, String action, String before, String after, String reason) {
        return new AuditRecord(0, at, key.logKey(), null, null, actor, action, before, after, reason, null);
    }
}
