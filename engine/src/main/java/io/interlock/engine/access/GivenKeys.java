package io.interlock.engine.access;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.access.AccessKey;
import io.interlock.spi.run.AccessKeys;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * API keys that this process was given, for a store that keeps none. They are forgotten with the process, and no other process knows
 * them. Safe for use by many threads.
 */
public final class GivenKeys implements AccessKeys {

    private final ConcurrentMap<String, AccessKey> keys = new ConcurrentHashMap<>();
    private final InstantSource clock;

    /** None yet. */
    public GivenKeys(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
        AccessKey known = keys.putIfAbsent(key.id(), key);
        if (known != null && !known.hash().equals(key.hash())) {
            throw new InvalidSettingException("key id", key.id(), "is that of another key", "draw another");
        }
        return known == null ? key : known;
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return Optional.ofNullable(keys.get(id));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return keys.values().stream()
                .filter(key -> tenant == null || key.tenant().equals(tenant))
                .sorted(Comparator.comparing(AccessKey::createdAt).thenComparing(AccessKey::id))
                .toList();
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        return Optional.ofNullable(keys.computeIfPresent(
                id, (same, key) -> key.revoked().isPresent() ? key : key.revoked(clock.instant())));
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        ids.forEach(id -> keys.computeIfPresent(id, (same, key) -> key.used(clock.instant())));
    }
}
