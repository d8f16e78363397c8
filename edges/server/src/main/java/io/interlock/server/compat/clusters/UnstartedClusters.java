package io.interlock.server.compat.clusters;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.RunEngine;
import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.server.compat.CompatJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Clusters that wait for a first job that does not come: it was cancelled in line, nobody took it within its max-wait, or the server
 * died between the record of the cluster and the job. Whoever wants the name, or looks at a lifetime that is over, has them failed. All
 * methods block.
 */
final class UnstartedClusters {

    /** A server that is between the record and the job is through with it by then. */
    private static final Duration BETWEEN = Duration.ofMinutes(1);

    private final RunEngine engine;

    UnstartedClusters(RunEngine engine) {
        this.engine = engine;
    }

    /** Has {@code cluster} failed if it is pending and nothing is there that would begin it. */
    void judge(Resource cluster, Actor actor) {
        if (cluster.state().equals(ClusterRecords.PENDING) && isForsaken(cluster.key())) {
            // Unless somebody has begun it meanwhile: then it is another version.
            engine.setResource(
                    cluster.key(),
                    cluster.kind(),
                    ClusterRecords.FAILED,
                    cluster.version(),
                    actor,
                    "its first job never began");
        }
    }

    private boolean isForsaken(LockKey key) {
        List<Run> jobs = engine.list(RunQuery.ofTenant(key.tenant()).of(key)).runs();
        return jobs.isEmpty()
                ? isOld(key)
                : jobs.stream().allMatch(job -> job.state().isTerminal() && !hasCreated(job));
    }

    /** Any other job that succeeded without a transition has begun nothing. */
    private static boolean hasCreated(Run job) {
        return job.state() == RunState.SUCCEEDED
                && CompatJobs.type(job.job().value()).equals(ClusterApi.CREATE);
    }

    private boolean isOld(LockKey key) {
        Instant then = engine.queries().time().minus(BETWEEN);
        return engine.audit(key).stream().map(AuditRecord::at).allMatch(then::isAfter);
    }
}
