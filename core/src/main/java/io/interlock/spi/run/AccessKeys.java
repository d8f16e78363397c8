package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.access.AccessKey;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** Keeps API keys, without their secrets. */
public interface AccessKeys {

    /**
     * Stores a new key; adding the same id and hash again changes nothing. Writes an audit record {@code key-added}
     * under {@link AccessKey#logKey()}.
     *
     * @return the stored key
     * @throws io.interlock.InvalidSettingException if another key has that id
     */
    AccessKey addKey(AccessKey key, Actor actor);

    /** Like {@link #addKey(AccessKey, Actor)}, by an actor in this process. */
    default AccessKey addKey(AccessKey key, String actor) {
        return addKey(key, Actor.of(actor));
    }

    /** The key with this id, also if it is no longer valid. */
    Optional<AccessKey> findKey(String id);

    /** Keys of one tenant or, with {@code null}, of all, the oldest first, including keys that are no longer valid. */
    List<AccessKey> listKeys(@Nullable String tenant);

    /**
     * Revokes a key permanently. Writes an audit record {@code key-revoked}.
     *
     * @return the key, revoked now or before; empty if there is none
     */
    Optional<AccessKey> revokeKey(String id, Actor actor, String reason);

    /** Like {@link #revokeKey(String, Actor, String)}, by an actor in this process. */
    default Optional<AccessKey> revokeKey(String id, String actor, String reason) {
        return revokeKey(id, Actor.of(actor), reason);
    }

    /** Records that these keys were used now, by the store's clock. Writes no audit record; unknown keys are ignored. */
    void keysUsed(SortedSet<String> ids);
}
