package io.interlock.server.door.pipelines;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.config.Door;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.server.api.Call;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.api.Workbench;
import io.interlock.server.door.DoorJobs;
import io.interlock.server.door.DoorKeys;
import io.interlock.server.door.DoorRuns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A pipeline is a job, its lock the key {@code pipeline/{id}}, a {@code pipeline_logging_id} a run. */
public final class PipelineDoor {

    /** The document of this door. */
    public static final String DOCUMENT = "door/pipelines.yaml";

    static final String KEYS = "pipeline/";

    private final Workbench bench;
    private final DoorJobs jobs;

    private PipelineDoor(Workbench bench, DoorJobs jobs) {
        this.bench = bench;
        this.jobs = jobs;
    }

    /** Answers the operations of this door. */
    public static Operations operations(Workbench bench, DoorJobs jobs) {
        PipelineDoor door = new PipelineDoor(bench, jobs);
        return new Operations()
                .on("runPipeline", door::run)
                .on("getPipelineRun", door::get)
                .on("listPipelineLocks", door::locks)
                .on("releasePipelineLock", door::release);
    }

    private CompletionStage<Reply> run(Call call) {
        JobSettings job = job(call);
        RunRequest request = DoorRuns.request(call, key(call), job);
        JsonObject parameters = call.body().getJsonObject("parameters");
        if (parameters != null) {
            request = request.parameters(parameters.encode());
        }
        String triggeredBy = call.body().getString("trigger_by");
        if (triggeredBy != null) {
            request = request.labels(Map.of(PipelineJson.TRIGGER_BY, triggeredBy));
        }
        return bench.waits()
                .until(call, bench.engine().submitAsync(request))
                .thenCompose(answer -> answer(call, answer));
    }

    private CompletionStage<Reply> answer(Call call, Submission answer) {
        String pipeline = call.required("pipeline_id", String.class);
        if (answer instanceof Submission.Rejected rejected) {
            return DoorRuns.refused(bench, rejected.refusal());
        }
        if (answer instanceof Submission.Skipped skipped && skipped.incumbent().isEmpty()) {
            return DoorRuns.refused(bench, skipped.refusal());
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
        return bench.blocking()
                .call(
                        call.tenant(),
                        () -> Reply.ok(PipelineJson.run(
                                DoorRuns.require(bench, call, "pipeline run", KEYS),
                                bench.environment().clock().instant())));
    }

    private CompletionStage<Reply> locks(Call call) {
        return bench.blocking().call(call.tenant(), () -> {
            JsonArray locks = new JsonArray();
            DoorKeys.allHeld(bench.engine(), call.tenant(), KEYS).forEach(view -> locks.add(PipelineJson.lock(view)));
            return Reply.ok(new JsonObject().put("locks", locks));
        });
    }

    private CompletionStage<Reply> release(Call call) {
        LockKey key = key(call);
        return bench.blocking().call(call.tenant(), () -> DoorKeys.release(bench.engine(), call, key));
    }

    private JobSettings job(Call call) {
        String pipeline = call.required("pipeline_id", String.class);
        return jobs.find(Door.PIPELINES, pipeline)
                .orElseThrow(() -> Call.notFound("pipeline", pipeline).thrown());
    }

    private static LockKey key(Call call) {
        return LockKey.of(call.tenant(), KEYS + call.required("pipeline_id", String.class));
    }
}
