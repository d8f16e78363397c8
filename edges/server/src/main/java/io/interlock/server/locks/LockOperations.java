package io.interlock.server.locks;

import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;

/** Answers all operations about locks. */
public final class LockOperations {

    private LockOperations() {}

    /** Adds them to {@code operations}. */
    public static void addTo(Operations operations, OperationContext context) {
        ForceOperations force = new ForceOperations(context);
        addLeasesTo(operations, context);
        operations.on("pauseKeys", force::pause).on("resumeKeys", force::resume);
    }

    /** Adds those that need no runs beside the leases. */
    public static void addLeasesTo(Operations operations, OperationContext context) {
        LeaseOperations leases = new LeaseOperations(context);
        operations
                .on("listLocks", new ListOperation(context)::list)
                .on("acquireLease", leases::acquire)
                .on("renewLease", leases::renew)
                .on("releaseLease", leases::release)
                .on("validateToken", leases::validate)
                .on("evictLease", new ForceOperations(context)::evict);
    }
}
