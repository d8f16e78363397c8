package io.interlock.store.memory;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.access.AccessKey;
import io.interlock.access.SignIn;
import io.interlock.access.SignIns;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AccessKeys;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** API keys and sign-ins in memory. Guarded by the monitor of its {@link RunRows}. */
final class MemoryAccess implements AccessKeys, SignIns {

    private final MemoryAudit audit;
    private final Supplier<Instant> clock;
    /** In the order in which they were added. */
    private final Map<String, AccessKey> keys = new LinkedHashMap<>();

    /** By hash; the one that was not used for longest comes first. */
    private final Map<String, SignIn> signIns = new LinkedHashMap<>();

    MemoryAccess(MemoryAudit audit, Supplier<Instant> clock) {
        this.audit = audit;
        this.clock = clock;
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
        AccessKey known = keys.get(key.id());
        if (known == null) {
            AccessKey kept = key.created(clock.get());
            audit.append(AuditRecord.of(
                    kept.createdAt(),
                    kept.logKey(),
                    actor,
                    "key-added",
                    "",
                    kept.role().name(),
                    kept.label()));
            keys.put(kept.id(), kept);
            return kept;
        }
        if (!known.hash().equals(key.hash())) {
            throw new InvalidSettingException("key id", key.id(), "is used by another key", "choose another id");
        }
        return known;
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return Optional.ofNullable(keys.get(id));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return keys.values().stream()
                .filter(key -> tenant == null || tenant.equals(key.tenant()))
                .toList();
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        AccessKey known = keys.get(id);
        if (known == null || known.revokedAt() != null) {
            return Optional.ofNullable(known);
        }
        Instant now = clock.get();
        AccessKey revoked = known.revoked(now);
        audit.append(AuditRecord.of(
                now, known.logKey(), actor, "key-revoked", known.role().name(), "", reason));
        keys.put(id, revoked);
        return Optional.of(revoked);
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        ids.forEach(id -> keys.computeIfPresent(id, (same, key) -> key.used(clock.get())));
    }

    @Override
    public SignIn openSignIn(SignIn signIn) {
        Instant now = clock.get();
        signIns.values().removeIf(one -> one.isOver(now));
        SignIn known = signIns.get(signIn.hash());
        if (known != null) {
            return known;
        }
        Map<String, Integer> counts = new HashMap<>();
        signIns.values().forEach(one -> counts.merge(one.keyId(), 1, Integer::sum));
        SignIn.crowded(counts, signIn.keyId())
                .flatMap(key -> signIns.values().stream()
                        .filter(one -> one.keyId().equals(key))
                        .findFirst())
                .ifPresent(eldest -> signIns.remove(eldest.hash()));
        signIns.put(signIn.hash(), signIn.opened(now));
        return signIn.opened(now);
    }

    @Override
    public Optional<SignIn> findSignIn(String hash, boolean used) {
        Instant now = clock.get();
        Optional<SignIn> found = Optional.ofNullable(signIns.get(hash)).filter(one -> !one.isOver(now));
        if (found.isEmpty() || !used) {
            return found;
        }
        signIns.remove(hash);
        signIns.put(hash, found.get().used(now));
        return Optional.of(found.get().used(now));
    }

    @Override
    public Optional<SignIn> closeSignIn(String hash) {
        return Optional.ofNullable(signIns.remove(hash)).filter(one -> !one.isOver(clock.get()));
    }
}
