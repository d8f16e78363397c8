package io.interlock.server.compat.pipelines;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatJobs;
import io.interlock.server.compat.CompatKeys;
import io.interlock.server.compat.CompatRuns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A pipeline is a job, its lock the key {@code pipeline/{id}}, a {@code pipeline_logging_id} a run. */
public final class PipelineApi {

    /** The document of this compatible API. */
    public static final String DOCUMENT = "compat/pipelines.yaml";

    static final String KEYS = "pipeline/";

    private final OperationContext context;
    private final CompatJobs jobs;

    private PipelineApi(OperationContext context, CompatJobs jobs) {
        this.context = context;
        this.jobs = jobs;
    }

    /** Answers the operations of this compatible API. */
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
            request = request.labels(Map.of(PipelineJson.TRIGGER_BY, triggeredBy));
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
        return CompletableFuture.completedFuture(Reply.ok(PipelineJson.ids(run, answer.key())
                .put("status", fresh ? "PENDING" : "RUNNING")
                .put(
                        "message",
                        "Pipeline " + pipeline
                                + (fresh
                                        ? " triggered successfully (async mode)"
                                        : " already running - returning existing execution"))));
    }

    private CompletionStage<Reply> get(Call call) {
        return context.blocking()
                .call(
                        call.tenant(),
                        () -> Reply.ok(PipelineJson.run(
                                CompatRuns.require(context, call, "pipeline run", KEYS),
                                context.environment().clock().instant())));
    }

    private CompletionStage<Reply> locks(Call call) {
        return context.blocking().call(call.tenant(), () -> {
            JsonArray locks = new JsonArray();
            CompatKeys.allHeld(context.engine(), call.tenant(), KEYS)
                    .forEach(view -> locks.add(PipelineJson.lock(view)));
            return Reply.ok(new JsonObject().put("locks", locks));
        });
    }

    private CompletionStage<Reply> release(Call call) {
        LockKey key = key(call);
        return context.blocking().call(call.tenant(), () -> CompatKeys.release(context.engine(), call, key));
    }

    private JobSettings job(Call call) {
        String pipeline = call.required("pipeline_id", String.class);
        return jobs.find(CompatApi.PIPELINES, pipeline)
                .orElseThrow(() -> Call.notFound("pipeline", pipeline).thrown());
    }

    private static LockKey key(Call call) {
        return LockKey.of(call.tenant(), KEYS + call.required("pipeline_id", String.class));
    }
}
