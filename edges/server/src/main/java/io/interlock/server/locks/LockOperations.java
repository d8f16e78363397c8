package io.interlock.server.locks;

import io.interlock.server.api.Operations;
import io.interlock.server.api.Workbench;

/** Answers all operations about locks. */
public final class LockOperations {

    private LockOperations() {}

    /** Adds them to {@code operations}. */
    public static void addTo(Operations operations, Workbench bench) {
        LeaseOperations leases = new LeaseOperations(bench);
        ForceOperations force = new ForceOperations(bench);
        operations
                .on("listLocks", new ListOperation(bench)::list)
                .on("acquireLease", leases::acquire)
                .on("renewLease", leases::renew)
                .on("releaseLease", leases::release)
                .on("validateToken", leases::validate)
                .on("evictLease", force::evict)
                .on("pauseKeys", force::pause)
                .on("resumeKeys", force::resume);
    }
}
