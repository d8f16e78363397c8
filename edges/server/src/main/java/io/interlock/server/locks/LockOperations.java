package io.interlock.server.locks;

import io.interlock.server.api.Operations;
import io.interlock.server.api.Workbench;

/** Answers all operations about locks. */
public final class LockOperations {

    private LockOperations() {}

    /** Adds them to {@code operations}. */
    public static void addTo(Operations operations, Workbench bench) {
        ForceOperations force = new ForceOperations(bench);
        addLeasesTo(operations, bench);
        operations.on("pauseKeys", force::pause).on("resumeKeys", force::resume);
    }

    /** Adds those that need no runs beside the leases. */
    public static void addLeasesTo(Operations operations, Workbench bench) {
        LeaseOperations leases = new LeaseOperations(bench);
        operations
                .on("listLocks", new ListOperation(bench)::list)
                .on("acquireLease", leases::acquire)
                .on("renewLease", leases::renew)
                .on("releaseLease", leases::release)
                .on("validateToken", leases::validate)
                .on("evictLease", new ForceOperations(bench)::evict);
    }
}
