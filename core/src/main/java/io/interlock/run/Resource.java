package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The resource behind a guarded key: a cluster, an event, a database.
 *
 * @param version increases by one with every change
 * @param owner the run that owns it, also between two attempts of that run
 * @param settledState the last state without an owner; equal to {@code state} while no run owns it
 * @param settledAt when it reached that state, or {@code null} if unknown
 */
public record Resource(
        LockKey key,
        String kind,
        String state,
        long version,
        @Nullable RunId owner,
        String settledState,
        @Nullable Instant settledAt) {

    /** The state of a resource that was never changed. */
    public static final String UNTOUCHED = "none";

    /** A resource without an owner, in {@code state} since {@code now}. */
    public static Resource settled(LockKey key, String kind, String state, long version, Instant now) {
        return new Resource(key, kind, state, version, null, state, now);
    }

    /** This resource with another owner. */
    public Resource ownedBy(RunId run) {
        return new Resource(key, kind, state, version, run, settledState, settledAt);
    }

    /** The run that owns it, if any. */
    public Optional<RunId> owningRun() {
        return Optional.ofNullable(owner);
    }

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
            return resource.kind().equals(kind)
                    && (after == null || resource.key().compareTo(after) > 0);
        }
    }

    /** The answer of a store to a change of a resource. */
    public sealed interface ResourceAnswer {

        /** The state was set. */
        record Changed(Resource resource) implements ResourceAnswer {}

        /**
         * It has another version, a run owns it, or its key is held and the request required a free key; nothing was
         * changed.
         *
         * @param resource as it is, or {@code null} if there is none
         */
        record Mismatch(@Nullable Resource resource) implements ResourceAnswer {

            public Optional<Resource> current() {
                return Optional.ofNullable(resource);
            }
        }
    }
}
