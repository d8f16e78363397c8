package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Which resources to list, of all tenants.
 *
 * @param after only those after this one, or {@code null} to begin at the first
 * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
 */
public record ResourceQuery(String kind, @Nullable LockKey after, int limit) {

    public ResourceQuery {
        LeaseQuery.requireLimit(limit, "request the next page with the last key");
    }

    /** The first ones of a kind. */
    public static ResourceQuery ofKind(String kind) {
        return new ResourceQuery(kind, null, RunQuery.MAX_LIMIT);
    }

    /** This query for resources after {@code last}. */
    public ResourceQuery behind(LockKey last) {
        return new ResourceQuery(kind, last, limit);
    }

    /** Whether {@code resource} matches this query. */
    public boolean matches(Resource resource) {
        return resource.kind().equals(kind) && (after == null || resource.key().compareTo(after) > 0);
    }
}
