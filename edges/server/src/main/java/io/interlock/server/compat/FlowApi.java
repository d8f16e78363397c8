package io.interlock.server.compat;

import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunState;
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
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A phase is a job, its lock the key {@code flow/{flow}/{phase}}. */
public final class FlowApi {

    public static final String DOCUMENT = "compat/flows.yaml";

    private final CompatRuns runs;

    private FlowApi(CompatRuns runs) {
        this.runs = runs;
    }

    static Operations operations(OperationContext context, Collection<JobSettings> jobs) {
        FlowApi api = new FlowApi(new CompatRuns(context, CompatApi.FLOWS, jobs));
        return new Operations()
                .on("resumeFlow", api::resume)
                .on("getPhaseLock", context.blocking(api::look))
                .on("releasePhaseLock", context.blocking(call -> api.runs.release(call, api.pathKey(call))));
    }

    private CompletionStage<Reply> resume(Call call) {
        String named = call.body().getString("phase");
        return named != null
                ? resume(call, named)
                : runs.context().blocking(call, () -> currentPhase(call)).thenCompose(phase -> resume(call, phase));
    }

    private CompletionStage<Reply> resume(Call call, String phase) {
        JobSettings job = job(phase);
        LockKey key = key(call, phase);
        // The handler is one for all flows of its phase, so it is told whose turn it is.
        JsonObject parameters = new JsonObject()
                .put("flow_id", call.required("flow_id", String.class))
                .put("phase", phase);
        return runs.submit(call, CompatRuns.request(call, key, job).parameters(parameters.encode()))
                .thenCompose(answer -> answer(call, phase, answer));
    }

    /**
     * The phase a flow is at: the one that runs, else that of its last run, else the only one there is. A run that succeeded may name the
     * phase that comes next in its result, as {@code {"next_phase": "architecture"}}. Blocks.
     */
    private String currentPhase(Call call) {
        List<JobSettings> phases = runs.jobs();
        Optional<Run> last = phases.stream()
                .map(phase -> runs.newest(RunQuery.ofTenant(call.tenant()).of(key(call, phase.name()))))
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

    private Optional<String> nextPhase(Run run) {
        String result = run.status().result();
        return run.state() == RunState.SUCCEEDED
                        && result != null
                        && OperationContext.decoded(result) instanceof Map<?, ?> named
                        && named.get("next_phase") instanceof String phase
                ? runs.job(phase).map(JobSettings::name)
                : Optional.empty();
    }

    private CompletionStage<Reply> answer(Call call, String phase, Submission answer) {
        if (answer instanceof Submission.Rejected rejected) {
            return runs.refused(rejected.refusal());
        }
        if (answer instanceof Submission.Skipped skipped && !isRunning(skipped)) {
            return runs.refused(skipped.refusal());
        }
        boolean fresh = answer instanceof Submission.Started || answer instanceof Submission.Queued;
        return CompletableFuture.completedFuture(Reply.ok(Facts.with("status", fresh ? "started" : "already_running")
                .and("flow_id", call.required("flow_id", String.class))
                .and("phase", phase)
                .orNull(
                        "run_id",
                        answer.incumbent().or(() -> answer.run().map(Run::id)).orElse(null))));
    }

    /** Whether it was skipped because of a run: a pause, for example, is none. */
    private static boolean isRunning(Submission.Skipped skipped) {
        return skipped.incumbent().isPresent() || skipped.refusal() instanceof Refusal.Held;
    }

    private Reply look(Call call) {
        return Reply.ok(runs.held(pathKey(call))
                .map(FlowApi::locked)
                .orElseGet(() -> Facts.with("locked", false)
                        .orNull("timestamp", null)
                        .orNull("elapsed_seconds", null)
                        .orNull("run_id", null)));
    }

    private static Facts locked(KeyView view) {
        Instant since = CompatRuns.since(view).orElse(view.observedAt());
        long elapsed = Duration.between(since, view.observedAt()).toMillis();
        return Facts.with("locked", true)
                .and("timestamp", since)
                .and("elapsed_seconds", Math.max(0, elapsed) / 1_000.0)
                .orNull("run_id", CompatRuns.runOf(view).orElse(null));
    }

    private LockKey pathKey(Call call) {
        String phase = call.required("phase", String.class);
        return key(call, job(phase).name());
    }

    private JobSettings job(String phase) {
        return runs.job(phase).orElseThrow(() -> Problem.notFound("phase", phase));
    }

    private static LockKey key(Call call, String phase) {
        return LockKey.of(call.tenant(), "flow/" + call.required("flow_id", String.class) + "/" + phase);
    }
}
