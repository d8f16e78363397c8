package io.interlock.server.api;

import io.interlock.StoreUnavailableException;
import io.interlock.access.AccessKey;
import io.interlock.spi.run.AccessKeys;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps keys in a map, and can be away. */
public final class KeptKeys implements AccessKeys {

    private final Map<String, AccessKey> rows = new ConcurrentHashMap<>();
    private volatile boolean away;

    /** Answers nothing from now on, or again. */
    public void away(boolean away) {
        this.away = away;
    }

    @Override
    public AccessKey addKey(AccessKey key, String actor) {
        rows.put(key.id(), key);
        return key;
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        if (away) {
            throw new StoreUnavailableException("fake://user:***@db", "is away");
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
