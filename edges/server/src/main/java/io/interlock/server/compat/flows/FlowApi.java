package io.interlock.server.compat.flows;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Submission;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.interlock.server.problem.Problem;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A phase is a job, its lock the key {@code flow/{flow}/{phase}}. */
public final class FlowApi {

    public static final String DOCUMENT = "compat/flows.yaml";

    private final OperationContext context;
    private final CompatJobs jobs;

    private FlowApi(OperationContext context, CompatJobs jobs) {
        this.context = context;
        this.jobs = jobs;
    }

    public static Operations operations(OperationContext context, CompatJobs jobs) {
        FlowApi api = new FlowApi(context, jobs);
        return new Operations()
                .on("resumeFlow", api::resume)
                .on("getPhaseLock", api::look)
                .on("releasePhaseLock", api::release);
    }

    private CompletionStage<Reply> resume(Call call) {
        String named = call.body().getString("phase");
        return named != null
                ? resume(call, named)
                : context.blocking(call, () -> currentPhase(call)).thenCompose(phase -> resume(call, phase));
    }

    private CompletionStage<Reply> resume(Call call, String phase) {
        JobSettings job = job(phase);
        LockKey key = key(call, phase);
        // The handler is one for all flows of its phase, so it is told whose turn it is.
        JsonObject parameters = new JsonObject()
                .put("flow_id", call.required("flow_id", String.class))
                .put("phase", phase);
        return context.waits()
                .until(
                        call,
                        context.engine()
                                .submitAsync(CompatRuns.request(call, key, job).parameters(parameters.encode())))
                .thenCompose(answer -> answer(call, phase, answer));
    }

    /**
     * The phase a flow is at: the one that runs, else that of its last run, else the only one there is. A run that succeeded may name the
     * phase that comes next in its result, as {@code {"next_phase": "architecture"}}. Blocks.
     */
    private String currentPhase(Call call) {
        List<JobSettings> phases = jobs.of(CompatApi.FLOWS);
        Optional<Run> last = phases.stream()
                .map(phase -> newest(key(call, phase.name())))
                .flatMap(Optional::stream)
                .max(Comparator.comparing((Run run) -> !run.state().isTerminal())
                        .thenComparingLong(Run::number));
        if (last.isPresent()) {
            String phase = last.get().job().value();
            return nextPhase(last.get()).orElse(phase);
        }
        if (phases.size() == 1) {
            return phases.get(0).name();
        }
        throw Problem.invalid(
                "/phase",
                "is missing, and no phase of this flow has run yet; name one of "
                        + phases.stream().map(JobSettings::name).toList());
    }

    private Optional<Run> newest(LockKey key) {
        return context
                .engine()
                .list(RunQuery.ofTenant(key.tenant()).of(key).newestFirst().page(0, 1))
                .runs()
                .stream()
                .findFirst();
    }

    private Optional<String> nextPhase(Run run) {
        String result = run.status().result();
        if (run.state() != RunState.SUCCEEDED || result == null || !result.startsWith("{")) {
            return Optional.empty();
        }
        Object next = new JsonObject(result).getValue("next_phase");
        return next instanceof String phase && jobs.find(CompatApi.FLOWS, phase).isPresent()
                ? Optional.of(phase)
                : Optional.empty();
    }

    private CompletionStage<Reply> answer(Call call, String phase, Submission answer) {
        if (answer instanceof Submission.Rejected rejected) {
            return CompatRuns.refused(context, rejected.refusal());
        }
        if (answer instanceof Submission.Skipped skipped && !isRunning(skipped)) {
            return CompatRuns.refused(context, skipped.refusal());
        }
        boolean fresh = answer instanceof Submission.Started || answer instanceof Submission.Queued;
        String run = answer.incumbent()
                .or(() -> answer.run().map(Run::id))
                .map(Object::toString)
                .orElse(null);
        return CompletableFuture.completedFuture(Reply.ok(new JsonObject()
                .put("status", fresh ? "started" : "already_running")
                .put("flow_id", call.required("flow_id", String.class))
                .put("phase", phase)
                .put("run_id", run)));
    }

    /** Whether it was skipped because of a run: a pause, for example, is none. */
    private static boolean isRunning(Submission.Skipped skipped) {
        return skipped.incumbent().isPresent() || skipped.refusal() instanceof Refusal.Held;
    }

    private CompletionStage<Reply> look(Call call) {
        LockKey key = pathKey(call);
        return context.blocking(
                call,
                () -> Reply.ok(CompatRuns.held(context.engine(), key)
                        .map(FlowApi::locked)
                        .orElseGet(() -> new JsonObject()
                                .put("locked", false)
                                .putNull("timestamp")
                                .putNull("elapsed_seconds")
                                .putNull("run_id"))));
    }

    private static JsonObject locked(KeyView view) {
        Optional<Run> run = view.currentRun();
        Optional<LeaseRecord> lease = view.currentLease();
        Instant since = lease.map(LeaseRecord::grantedAt)
                .or(() -> run.map(kept -> kept.status().since()))
                .orElse(view.observedAt());
        return new JsonObject()
                .put("locked", true)
                .put("timestamp", TimeText.format(since))
                .put(
                        "elapsed_seconds",
                        Math.max(0, Duration.between(since, view.observedAt()).toMillis()) / 1_000.0)
                .put(
                        "run_id",
                        lease.flatMap(held -> held.holder().runId())
                                .or(() -> run.map(Run::id))
                                .map(Object::toString)
                                .orElse(null));
    }

    private CompletionStage<Reply> release(Call call) {
        LockKey key = pathKey(call);
        return context.blocking(call, () -> CompatRuns.release(context.engine(), call, key));
    }

    private LockKey pathKey(Call call) {
        String phase = call.required("phase", String.class);
        return key(call, job(phase).name());
    }

    private JobSettings job(String phase) {
        return jobs.find(CompatApi.FLOWS, phase).orElseThrow(() -> Call.notFound("phase", phase));
    }

    private static LockKey key(Call call, String phase) {
        return LockKey.of(call.tenant(), "flow/" + call.required("flow_id", String.class) + "/" + phase);
    }
}
