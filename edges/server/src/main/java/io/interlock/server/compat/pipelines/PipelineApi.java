package io.interlock.server.compat.pipelines;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A pipeline is a job, its lock the key {@code pipeline/{id}}, a {@code pipeline_logging_id} a run. */
public final class PipelineApi {

    public static final String DOCUMENT = "compat/pipelines.yaml";

    static final String KEYS = "pipeline/";

    private final OperationContext context;
    private final CompatJobs jobs;

    private PipelineApi(OperationContext context, CompatJobs jobs) {
        this.context = context;
        this.jobs = jobs;
    }

    public static Operations operations(OperationContext context, CompatJobs jobs) {
        PipelineApi api = new PipelineApi(context, jobs);
        return new Operations()
                .on("runPipeline", api::run)
                .on("getPipelineRun", api::get)
                .on("listPipelineLocks", api::locks)
                .on("releasePipelineLock", api::release);
    }

    private CompletionStage<Reply> run(Call call) {
        JobSettings job = job(call);
        RunRequest request = CompatRuns.request(call, key(call), job);
        JsonObject parameters = call.body().getJsonObject("parameters");
        if (parameters != null) {
            request = request.parameters(parameters.encode());
        }
        String triggeredBy = call.body().getString("trigger_by");
        if (triggeredBy != null) {
            request = request.labels(Map.of(TRIGGER_BY, triggeredBy));
        }
        return context.waits()
                .until(call, context.engine().submitAsync(request))
                .thenCompose(answer -> answer(call, answer));
    }

    private CompletionStage<Reply> answer(Call call, Submission answer) {
        String pipeline = call.required("pipeline_id", String.class);
        if (answer instanceof Submission.Rejected rejected) {
            return CompatRuns.refused(context, rejected.refusal());
        }
        if (answer instanceof Submission.Skipped skipped && skipped.incumbent().isEmpty()) {
            return CompatRuns.refused(context, skipped.refusal());
        }
        boolean fresh = answer instanceof Submission.Started || answer instanceof Submission.Queued;
        RunId run = answer.incumbent().orElseGet(() -> answer.orElseThrow().id());
        return CompletableFuture.completedFuture(Reply.ok(ids(run, answer.key())
                .put("status", fresh ? "PENDING" : "RUNNING")
                .put(
                        "message",
                        "Pipeline " + pipeline
                                + (fresh
                                        ? " triggered successfully (async mode)"
                                        : " already running - returning existing execution"))));
    }

    private CompletionStage<Reply> get(Call call) {
        return context.blocking(
                call,
                () -> Reply.ok(runJson(
                        CompatRuns.require(context, call, "pipeline run", KEYS),
                        context.environment().clock().instant())));
    }

    private CompletionStage<Reply> locks(Call call) {
        return context.blocking(call, () -> {
            JsonArray locks = new JsonArray();
            CompatRuns.allHeld(context.engine(), call.tenant(), KEYS).forEach(view -> locks.add(lockJson(view)));
            return Reply.ok(new JsonObject().put("locks", locks));
        });
    }

    private CompletionStage<Reply> release(Call call) {
        LockKey key = key(call);
        return context.blocking(call, () -> CompatRuns.release(context.engine(), call, key));
    }

    private JobSettings job(Call call) {
        String pipeline = call.required("pipeline_id", String.class);
        return jobs.find(CompatApi.PIPELINES, pipeline).orElseThrow(() -> Call.notFound("pipeline", pipeline));
    }

    private static LockKey key(Call call) {
        return LockKey.of(call.tenant(), KEYS + call.required("pipeline_id", String.class));
    }

    /** The label that keeps who triggered a run. */
    private static final String TRIGGER_BY = "trigger_by";

    private static JsonObject ids(@Nullable RunId run, LockKey key) {
        return new JsonObject()
                .put("pipeline_logging_id", run == null ? null : run.toString())
                .put("pipeline_id", key.name().substring(PipelineApi.KEYS.length()))
                .put("tenant_id", key.tenant());
    }

    private static JsonObject runJson(Run run, Instant now) {
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

    /** A key that is held. */
    private static JsonObject lockJson(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        JsonObject json;
        if (lease == null) {
            // Held without a lease: by a run that has its turn and no worker yet.
            Instant since = run == null ? view.observedAt() : run.status().since();
            json = ids(run == null ? null : run.id(), view.key())
                    .put("locked_at", TimeText.format(since))
                    .put("expires_at", CompatRuns.time(CompatRuns.opensAt(view)))
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
