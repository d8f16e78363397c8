package io.interlock.server.door.clusters;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which cluster has a name, and until when: as the state of the name's resource.
 *
 * @param serial what tells the cluster from others of its name
 * @param expiresAt when its lifetime ends, or {@code null} if it has none
 */
record Claim(String serial, @Nullable Instant expiresAt) {

    static Claim parse(String state) {
        String[] parts = state.split(" until ", 2);
        return new Claim(parts[0], parts.length == 1 ? null : Instant.parse(parts[1]));
    }

    @Override
    public String toString() {
        return expiresAt == null ? serial : serial + " until " + expiresAt;
    }
}
