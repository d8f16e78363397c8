package io.interlock.store.memory;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.access.AccessKey;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AccessKeys;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** API keys, without their secrets. */
class MemoryAccessKeys implements AccessKeys {

    private final RunTable table;

    MemoryAccessKeys(RunTable table) {
        this.table = table;
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
        return table.alone(rows -> {
            AccessKey known = rows.accessKeys.get(key.id());
            if (known == null) {
                AccessKey kept = new AccessKey(
                        key.id(),
                        key.tenant(),
                        key.role(),
                        key.label(),
                        key.hash(),
                        table.now(),
                        key.expiresAt(),
                        null);
                rows.audit.append(AuditRecord.of(
                        kept.createdAt(),
                        kept.logKey(),
                        actor,
                        "key-added",
                        "",
                        kept.role().name(),
                        kept.label()));
                rows.accessKeys.put(kept.id(), kept);
                return kept;
            }
            if (!known.hash().equals(key.hash())) {
                throw new InvalidSettingException("key id", key.id(), "is used by another key", "choose another id");
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
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        return table.alone(rows -> {
            AccessKey known = rows.accessKeys.get(id);
            if (known == null || known.revokedAt() != null) {
                return Optional.ofNullable(known);
            }
            Instant now = table.now();
            AccessKey revoked = known.revoked(now);
            rows.audit.append(AuditRecord.of(
                    now, known.logKey(), actor, "key-revoked", known.role().name(), "", reason));
            rows.accessKeys.put(id, revoked);
            return Optional.of(revoked);
        });
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        table.alone(rows -> {
            ids.forEach(id -> rows.accessKeys.computeIfPresent(id, (same, key) -> key.used(table.now())));
            return ids.size();
        });
    }
}
