package io.interlock.server.compat.pipelines;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.server.compat.CompatKeys;
import io.interlock.server.compat.CompatRuns;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs and locks in the words of pipelines. */
final class PipelineJson {

    /** The label that keeps who triggered a run. */
    static final String TRIGGER_BY = "trigger_by";

    private PipelineJson() {}

    static JsonObject ids(@Nullable RunId run, LockKey key) {
        return new JsonObject()
                .put("pipeline_logging_id", run == null ? null : run.toString())
                .put("pipeline_id", key.name().substring(PipelineApi.KEYS.length()))
                .put("tenant_id", key.tenant());
    }

    static JsonObject run(Run run, Instant now) {
        Optional<Instant> started = CompatRuns.startedAt(run);
        Optional<Instant> ended = CompatRuns.endedAt(run);
        return ids(run.id(), run.key())
                .put("status", status(run.state()))
                .put("locked_by", lockedBy(run))
                .put("started_at", CompatRuns.time(started))
                .put("ended_at", CompatRuns.time(ended))
                .put(
                        "duration_seconds",
                        started.map(start -> seconds(Duration.between(start, ended.orElse(now))))
                                .orElse(null))
                .put("stage", CompatRuns.stage(run))
                .put("progress", CompatRuns.progress(run))
                .put("error", CompatRuns.error(run));
    }

    /** A key that somebody has. */
    static JsonObject lock(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        JsonObject json;
        if (lease == null) {
            // Held without a lease: by a run that has its turn and no worker yet.
            Instant since = run == null ? view.observedAt() : run.status().since();
            json = ids(run == null ? null : run.id(), view.key())
                    .put("locked_at", TimeText.format(since))
                    .put("expires_at", CompatRuns.time(CompatKeys.opensAt(view)))
                    .putNull("token");
        } else {
            json = ids(lease.holder().runId().orElse(null), view.key())
                    .put("locked_at", TimeText.format(lease.grantedAt()))
                    .put("expires_at", TimeText.format(lease.expiresAt()))
                    .put("token", lease.token().value());
        }
        String holder = lease == null ? null : lease.holder().label();
        return json.put("locked_by", run == null ? holder : lockedBy(run))
                .put("status", run == null ? "RUNNING" : status(run.state()));
    }

    private static String lockedBy(Run run) {
        return run.spec().labels().getOrDefault(TRIGGER_BY, run.spec().origin().submitter());
    }

    private static String status(RunState state) {
        return switch (state) {
            case QUEUED, PENDING -> "PENDING";
            case SUCCEEDED -> "COMPLETE";
            case DEAD -> "FAILED";
            default -> state.name();
        };
    }

    private static double seconds(Duration time) {
        return Math.max(0, time.toMillis()) / 1_000.0;
    }
}
