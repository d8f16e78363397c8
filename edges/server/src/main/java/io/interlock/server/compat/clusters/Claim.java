package io.interlock.server.compat.clusters;

import io.interlock.LockKey;
import io.interlock.run.Resource;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which cluster has a name, and until when: as the state of the name's resource.
 *
 * @param cluster the id of the cluster
 * @param expiresAt when its lifetime ends, or {@code null} if it has none
 */
record Claim(String cluster, @Nullable Instant expiresAt) {

    private static final String ID = "id=";

    static Claim parse(Resource name) {
        String[] parts = name.state().split(" until ", 2);
        return new Claim(id(name.key(), parts[0]), parts.length == 1 ? null : Instant.parse(parts[1]));
    }

    /** Claims of ids of the older form have only what tells the cluster from others of its name. */
    private static String id(LockKey nameKey, String text) {
        return text.startsWith(ID) ? text.substring(ID.length()) : ClusterId.ofOldForm(nameKey, text);
    }

    @Override
    public String toString() {
        return ID + (expiresAt == null ? cluster : cluster + " until " + expiresAt);
    }
}
