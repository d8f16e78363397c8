package io.interlock.store.memory;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.access.AccessKey;
import io.interlock.access.SignIn;
import io.interlock.access.SignIns;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AccessKeys;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** API keys and sign-ins in memory. */
final class MemoryAccess implements AccessKeys, SignIns {

    private final MemoryClient client;

    MemoryAccess(MemoryClient client) {
        this.client = client;
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
        return client.alone(rows -> {
            AccessKey known = rows.accessKeys.get(key.id());
            if (known == null) {
                AccessKey kept = key.created(client.table().now());
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
        return client.alone(rows -> Optional.ofNullable(rows.accessKeys.get(id)));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return client.alone(rows -> rows.accessKeys.values().stream()
                .filter(key -> tenant == null || tenant.equals(key.tenant()))
                .toList());
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        return client.alone(rows -> {
            AccessKey known = rows.accessKeys.get(id);
            if (known == null || known.revokedAt() != null) {
                return Optional.ofNullable(known);
            }
            Instant now = client.table().now();
            AccessKey revoked = known.revoked(now);
            rows.audit.append(AuditRecord.of(
                    now, known.logKey(), actor, "key-revoked", known.role().name(), "", reason));
            rows.accessKeys.put(id, revoked);
            return Optional.of(revoked);
        });
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        client.change(rows -> ids.forEach(id -> rows.accessKeys.computeIfPresent(
                id, (same, key) -> key.used(client.table().now()))));
    }

    @Override
    public SignIn openSignIn(SignIn signIn) {
        return client.alone(rows -> rows.signIns.open(signIn, client.table().now()));
    }

    @Override
    public Optional<SignIn> findSignIn(String hash, boolean used) {
        return client.alone(rows -> rows.signIns.find(hash, used, client.table().now()));
    }

    @Override
    public Optional<SignIn> closeSignIn(String hash) {
        return client.alone(rows -> rows.signIns.close(hash, client.table().now()));
    }
}
