package io.interlock.server.compat;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
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
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A pipeline is a job, its lock the key {@code pipeline/{id}}, a {@code pipeline_logging_id} a run. */
public final class PipelineApi {

    public static final String DOCUMENT = "compat/pipelines.yaml";

    static final String KEYS = "pipeline/";

    private final CompatRuns runs;

    private PipelineApi(CompatRuns runs) {
        this.runs = runs;
    }

    static Operations operations(OperationContext context, Collection<JobSettings> jobs) {
        PipelineApi api = new PipelineApi(new CompatRuns(context, CompatApi.PIPELINES, jobs));
        return new Operations()
                .on("runPipeline", api::run)
                .on("getPipelineRun", context.blocking(api::get))
                .on("listPipelineLocks", context.blocking(api::locks))
                .on("releasePipelineLock", context.blocking(call -> api.runs.release(call, key(call))));
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
        return runs.submit(call, request).thenCompose(answer -> answer(call, answer));
    }

    private CompletionStage<Reply> answer(Call call, Submission answer) {
        String pipeline = call.required("pipeline_id", String.class);
        if (answer instanceof Submission.Rejected rejected) {
            return runs.refused(rejected.refusal());
        }
        if (answer instanceof Submission.Skipped skipped && skipped.incumbent().isEmpty()) {
            return runs.refused(skipped.refusal());
        }
        boolean fresh = answer instanceof Submission.Started || answer instanceof Submission.Queued;
        RunId run = answer.incumbent().orElseGet(() -> answer.orElseThrow().id());
        return CompletableFuture.completedFuture(Reply.ok(ids(run, answer.key())
                .and("status", fresh ? "PENDING" : "RUNNING")
                .and(
                        "message",
                        "Pipeline " + pipeline
                                + (fresh
                                        ? " triggered successfully (async mode)"
                                        : " already running - returning existing execution"))));
    }

    private Reply get(Call call) {
        Run run = runs.require(call, "pipeline run", KEYS);
        return Reply.ok(runJson(run, runs.context().environment().clock().instant()));
    }

    private Reply locks(Call call) {
        List<KeyView> held = runs.allHeld(call.tenant(), KEYS);
        return Reply.ok(
                Facts.with("locks", held.stream().map(PipelineApi::lockJson).toList()));
    }

    private JobSettings job(Call call) {
        String pipeline = call.required("pipeline_id", String.class);
        return runs.job(pipeline).orElseThrow(() -> Problem.notFound("pipeline", pipeline));
    }

    private static LockKey key(Call call) {
        return LockKey.of(call.tenant(), KEYS + call.required("pipeline_id", String.class));
    }

    /** The label that keeps who triggered a run. */
    private static final String TRIGGER_BY = "trigger_by";

    private static Facts ids(@Nullable RunId run, LockKey key) {
        return Facts.none()
                .orNull("pipeline_logging_id", run)
                .and("pipeline_id", key.name().substring(KEYS.length()))
                .and("tenant_id", key.tenant());
    }

    private static Facts runJson(Run run, Instant now) {
        Instant started = CompatRuns.startedAt(run);
        Instant ended = CompatRuns.endedAt(run);
        Long took = started == null
                ? null
                : Duration.between(started, ended == null ? now : ended).toMillis();
        return ids(run.id(), run.key())
                .and("status", status(run.state()))
                .and("locked_by", lockedBy(run))
                .orNull("started_at", started)
                .orNull("ended_at", ended)
                .orNull("duration_seconds", took == null ? null : Math.max(0, took) / 1_000.0)
                .orNull("stage", CompatRuns.stage(run))
                .orNull("progress", CompatRuns.progress(run))
                .orNull("error", CompatRuns.error(run));
    }

    /** A key that is held; without a lease by a run that has its turn and no worker yet. */
    private static Facts lockJson(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        String holder = lease == null ? null : lease.holder().label();
        return ids(CompatRuns.runOf(view).orElse(null), view.key())
                .and("locked_at", CompatRuns.since(view).orElse(view.observedAt()))
                .orNull("expires_at", CompatRuns.opensAt(view).orElse(null))
                .orNull("token", lease == null ? null : lease.token().value())
                .orNull("locked_by", run == null ? holder : lockedBy(run))
                .and("status", run == null ? "RUNNING" : status(run.state()));
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
}
