package io.interlock.server.compat.workflows;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.config.TriggerSecret;
import io.interlock.config.Work;
import io.interlock.engine.workflow.NodeRuns;
import io.interlock.engine.workflow.Workflows;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.interlock.server.compat.workflows.WebhookOperation.TriggerSenders;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.service.EngineService;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A workflow is a job, its lock the key {@code workflow/{id}}, an execution a run. */
public final class WorkflowApi {

    public static final String DOCUMENT = "compat/workflows.yaml";

    private final OperationContext context;
    private final CompatJobs jobs;

    private WorkflowApi(OperationContext context, CompatJobs jobs) {
        this.context = context;
        this.jobs = jobs;
    }

    /** Answers the operations of this compatible API; {@code secrets} are those by which senders of webhooks are known. */
    public static Operations operations(OperationContext context, CompatJobs jobs, Collection<TriggerSecret> secrets) {
        WorkflowApi api = new WorkflowApi(context, jobs);
        TriggerSenders senders = new TriggerSenders(secrets);
        return new Operations()
                .on("triggerWorkflow", new WebhookOperation(context, jobs, senders)::trigger)
                .signedBy("triggerWorkflow", senders)
                .on("getWorkflowLock", api::look)
                .on("releaseWorkflowLock", api::release)
                .on("cleanWorkflowLocks", api::clean)
                .on("getExecution", api::get)
                .on("abortExecution", api::abort);
    }

    private CompletionStage<Reply> look(Call call) {
        LockKey key = key(call);
        return context.blocking(call, () -> Reply.ok(lockJson(EngineService.view(context.engine(), key))));
    }

    private CompletionStage<Reply> release(Call call) {
        LockKey key = key(call);
        return context.blocking(call, () -> CompatRuns.release(context.engine(), call, key));
    }

    /** What the janitor does by itself every few seconds, now. */
    private CompletionStage<Reply> clean(Call call) {
        return context.blocking(call, () -> {
            long cleaned = context.engine().janitor().runOnce().stream()
                    .flatMap(round -> round.actions().stream())
                    .map(action -> action.key())
                    .filter(key ->
                            key.tenant().equals(call.tenant()) && key.name().startsWith(Workflows.KEYS))
                    .distinct()
                    .count();
            return Reply.ok(new JsonObject().put("cleaned", cleaned));
        });
    }

    private CompletionStage<Reply> get(Call call) {
        return context.blocking(call, () -> {
            Run run = require(call);
            JsonObject json = execution(run);
            if (work(run) instanceof Work.Nodes nodes && !json.containsKey("node")) {
                JsonArray all = new JsonArray();
                nodes.jobs().forEach(node -> all.add(node(node, NodeRuns.find(context.engine(), run, node))));
                json.put("nodes", all);
            }
            return Reply.ok(json);
        });
    }

    private @Nullable Work work(Run run) {
        return jobs.find(CompatApi.WORKFLOWS, run.job().value())
                .map(JobSettings::work)
                .orElse(null);
    }

    private CompletionStage<Reply> abort(Call call) {
        return context.blocking(call, () -> {
            Run run = require(call);
            String reason = call.body().getString("reason", "no reason given");
            CancelAnswer answer = context.engine().cancel(run.id(), call.actor(), reason);
            if (answer instanceof CancelAnswer.Over over) {
                throw Problem.of(
                        ProblemCode.RUN_FINISHED,
                        "Execution " + run.id() + " is " + status(over.run().state()) + " already.");
            }
            Run now = answer instanceof CancelAnswer.Cancelled cancelled ? cancelled.run() : run;
            return Reply.accepted(new JsonObject()
                    .put("success", true)
                    .put("executionId", run.id().toString())
                    .put("status", status(now.state())));
        });
    }

    private Run require(Call call) {
        return CompatRuns.require(context, call, "execution", Workflows.KEYS);
    }

    private LockKey key(Call call) {
        String workflow = call.required("id", String.class);
        return jobs.find(CompatApi.WORKFLOWS, workflow)
                .map(job -> Workflows.request(call.tenant(), workflow).key())
                .orElseThrow(() -> Call.notFound("workflow", workflow));
    }

    /** For which user an execution is: a field of the body, kept as a label. */
    static final String USER = "userId";

    /** An execution of a workflow, or of one of its nodes. */
    private static JsonObject execution(Run run) {
        String[] names = run.key().name().substring(Workflows.KEYS.length()).split("/node/", 2);
        JsonObject json = facts(run).put("workflowId", names[0]);
        String user = run.spec().labels().get(USER);
        if (user != null) {
            json.put(USER, user);
        }
        return names.length == 1 ? json : json.put("node", names[1]);
    }

    /** A node of an execution; one that was not started yet is pending. */
    private static JsonObject node(String name, Optional<Run> run) {
        return run.map(WorkflowApi::facts)
                .orElseGet(() -> new JsonObject()
                        .putNull("executionId")
                        .put("status", "PENDING")
                        .putNull("startedAt")
                        .putNull("finishedAt")
                        .putNull("error"))
                .put("node", name);
    }

    private static JsonObject facts(Run run) {
        return new JsonObject()
                .put("executionId", run.id().toString())
                .put("status", status(run.state()))
                .put("startedAt", CompatRuns.time(CompatRuns.startedAt(run)))
                .put("finishedAt", CompatRuns.time(CompatRuns.endedAt(run)))
                .put("error", CompatRuns.error(run));
    }

    private static String status(RunState state) {
        return switch (state) {
            case QUEUED, PENDING -> "PENDING";
            case SUCCEEDED -> "SUCCESS";
            case DEAD, TIMED_OUT -> "FAILED";
            default -> state.name();
        };
    }

    private static JsonObject lockJson(Optional<KeyView> view) {
        Optional<LeaseRecord> lease = view.flatMap(KeyView::currentLease);
        Optional<Run> run = view.flatMap(KeyView::currentRun);
        Optional<Instant> since = lease.map(LeaseRecord::grantedAt)
                .or(() -> run.map(kept -> kept.status().since()));
        return new JsonObject()
                .put("isLocked", lease.isPresent() || run.isPresent())
                .put(
                        "executionId",
                        lease.flatMap(held -> held.holder().runId())
                                .or(() -> run.map(Run::id))
                                .map(Object::toString)
                                .orElse(null))
                .put("lockedSince", CompatRuns.time(since))
                .put(
                        "expiresAt",
                        CompatRuns.time(lease.map(held -> end(held, run)).or(() -> view.flatMap(CompatRuns::opensAt))))
                .put("isStale", view.filter(WorkflowApi::isStale).isPresent());
    }

    /** Whether the holder of the lock is out of time, and only the step that settles it is missing. */
    private static boolean isStale(KeyView view) {
        return view.state() == KeyView.KeyStatus.OVERDUE
                || (view.lease() == null
                        && CompatRuns.opensAt(view)
                                .filter(end -> !end.isAfter(view.observedAt()))
                                .isPresent());
    }

    /** The time by which an execution must be through; without a limit, the end of its lease, which is renewed. */
    private static Instant end(LeaseRecord lease, Optional<Run> run) {
        return run.flatMap(under -> under.spec().limits().runtimeLimit())
                .map(lease.grantedAt()::plus)
                .orElse(lease.expiresAt());
    }
}
