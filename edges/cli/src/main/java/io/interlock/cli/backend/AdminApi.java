package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import io.interlock.engine.audit.AuditKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Administration: resources, audit log, workers, jobs, janitor. */
public interface AdminApi {

    /** The audit log, the newest first. */
    List<Facts> audit(@Nullable String key, @Nullable String run, int limit);

    /** Looks at the whole audit log: {@code clean}, {@code records}, {@code findings}, {@code head}, {@code sentence}. */
    Facts verifyAudit(AuditEvidence evidence);

    /** Signs the audit log as it is now: {@code signed}, the link that was. */
    Facts signAudit(AuditKey key);

    /** Jobs: {@code name, compatible API, onConflict, …}. */
    List<Facts> jobs();

    /** The last sweeps: {@code sweep, at, actions, skipped?}; and what waits to be swept, where that is known. */
    List<Facts> sweeps();

    /** Sweeps now, or says what there is to sweep. */
    List<Facts> sweep(boolean dryRun);

    /** What a guarded key stands for: {@code key, kind, state, version, …}. */
    Facts resource(String key);

    /**
     * Says in which state a resource is, if its key is free.
     *
     * @param kind what kind of resource it is, or {@code null} for what it was before, else what the key begins with
     * @return the resource as it is now
     */
    Facts setResource(String key, String state, @Nullable String kind, String reason);

    /** Processes that take work. */
    List<Facts> workers();
}
