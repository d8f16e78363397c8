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
     * Keeps a new key; one with the same id and hash again changes nothing. An audit record {@code key-added}, under
     * {@link AccessKey#logKey()}, says who made it.
     *
     * @return the key as kept
     * @throws io.interlock.InvalidSettingException if another key has that id
     */
    AccessKey addKey(AccessKey key, Actor actor);

    /** Like {@link #addKey(AccessKey, Actor)}, by one in this process. */
    default AccessKey addKey(AccessKey key, String actor) {
        return addKey(key, Actor.of(actor));
    }

    /** The key called so, also one that counts no more. */
    Optional<AccessKey> findKey(String id);

    /** Keys of one tenant or, with {@code null}, of all, the oldest first, also those that count no more. */
    List<AccessKey> listKeys(@Nullable String tenant);

    /**
     * Takes a key back for good. An audit record {@code key-revoked} says who did.
     *
     * @return the key as it is now, taken back now or before; empty if there is none
     */
    Optional<AccessKey> revokeKey(String id, Actor actor, String reason);

    /** Like {@link #revokeKey(String, Actor, String)}, by one in this process. */
    default Optional<AccessKey> revokeKey(String id, String actor, String reason) {
        return revokeKey(id, Actor.of(actor), reason);
    }

    /** These keys were used now, by the store's clock. No audit record tells of it; of a key that is not there nothing is kept. */
    void keysUsed(SortedSet<String> ids);
}
