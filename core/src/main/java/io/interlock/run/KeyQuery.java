package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Which keys to list.
 *
 * @param prefix only names with this prefix; empty for all
 * @param after only names greater than this one, or {@code null} to begin at the first
 * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
 */
public record KeyQuery(
        String tenant, String prefix, @Nullable String after, int limit) {

    public KeyQuery {
        LeaseQuery.requireLimit(limit, "request the next page with the last name");
    }

    /** The first keys of a tenant. */
    public static KeyQuery ofTenant(String tenant) {
        return new KeyQuery(tenant, "", null, RunQuery.MAX_LIMIT);
    }

    /** Whether {@code key} matches this query. */
    public boolean matches(LockKey key) {
        return key.tenant().equals(tenant)
                && key.name().startsWith(prefix)
                && (after == null || key.compareTo(LockKey.of(tenant, after)) > 0);
    }
}
