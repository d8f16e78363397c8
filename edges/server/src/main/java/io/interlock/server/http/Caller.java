package io.interlock.server.http;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;

/**
 * Who asks.
 *
 * @param key the API key it showed
 * @param tenant for whom it acts: the key's tenant, or, for the bootstrap key, the one it named
 */
public record Caller(AccessKey key, String tenant) {

    /** Whether it may do what {@code needed} is needed for. */
    public boolean may(Role needed) {
        return key.role().includes(needed);
    }

    /** As it stands in the audit log. */
    public String actor() {
        return "key " + key.id() + " (" + key.label() + ")";
    }
}
