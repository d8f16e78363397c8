package io.interlock.server.compat.clusters;

import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.interlock.server.compat.clusters.ClusterRecords.Cluster;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/** Clusters and jobs in the words of this compatible API. */
final class ClusterJson {

    /** What the engine calls {@link RunError#WRONG_STATE}. */
    static final String INVALID_STATE = "INVALID_STATE";

    private ClusterJson() {}

    static JsonObject cluster(Cluster cluster) {
        return new JsonObject()
                .put("id", cluster.id().toString())
                .put("name", cluster.id().name())
                .put("platform", cluster.id().platform())
                .put("base_domain", cluster.id().baseDomain())
                .put("status", cluster.status())
                .put("expires_at", CompatRuns.time(Optional.ofNullable(cluster.expiresAt())));
    }

    /** What the work of a job is told about its cluster: it is one for all of them. */
    static JsonObject parameters(ClusterId id, String job) {
        JsonObject parameters = new JsonObject().put("cluster_id", id.text()).put("name", id.name());
        if (id.platform() != null) {
            parameters.put("platform", id.platform());
        }
        if (id.baseDomain() != null) {
            parameters.put("base_domain", id.baseDomain());
        }
        return parameters.put("type", CompatJobs.type(job));
    }

    static JsonObject job(Run run) {
        RunError error = run.status().error();
        return new JsonObject()
                .put("job_id", run.id().toString())
                .put("cluster_id", run.key().name().substring(ClusterId.KEYS.length()))
                .put("type", CompatJobs.type(run.job().value()))
                .put("status", status(run.state()))
                .put("error_code", error == null ? null : code(error))
                .put("error_message", error == null ? null : error.message())
                .put("attempt", run.status().attempts())
                .put("max_attempts", run.spec().retry().attempts())
                .put("created_at", TimeText.format(run.submittedAt()))
                .put("started_at", CompatRuns.time(CompatRuns.startedAt(run)))
                .put("ended_at", CompatRuns.time(CompatRuns.endedAt(run)));
    }

    static String status(RunState state) {
        return switch (state) {
            case ABORTED, TIMED_OUT, DEAD -> "FAILED";
            default -> state.name();
        };
    }

    private static String code(RunError error) {
        return error.code().equals(RunError.WRONG_STATE) ? INVALID_STATE : error.code();
    }
}
