package io.interlock.engine.access;

import io.interlock.StoreUnavailableException;
import io.interlock.access.AccessKey;
import io.interlock.spi.run.AccessKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps keys in a map, counts how often it is asked, and can be away. */
final class KeptKeys implements AccessKeys {

    final Map<String, AccessKey> rows = new LinkedHashMap<>();
    final List<String> asked = new ArrayList<>();
    boolean away;

    @Override
    public AccessKey addKey(AccessKey key, String actor) {
        rows.put(key.id(), key);
        return key;
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        asked.add(id);
        if (away) {
            throw new StoreUnavailableException("fake:", "is away");
        }
        return Optional.ofNullable(rows.get(id));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return rows.values().stream()
                .filter(key -> tenant == null || key.tenant().equals(tenant))
                .toList();
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, String actor, String reason) {
        return Optional.ofNullable(rows.computeIfPresent(
                id,
                (same, key) -> new AccessKey(
                        id,
                        key.tenant(),
                        key.role(),
                        key.label(),
                        key.hash(),
                        key.createdAt(),
                        key.expiresAt(),
                        Instant.EPOCH)));
    }
}
