package io.interlock.server.compat;

import io.interlock.LockKey;
import io.interlock.RefusedException;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.Sha256;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.EngineSetup.TriggerSecret;
import io.interlock.config.JobSettings;
import io.interlock.config.Work;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.http.SignatureCheck;
import io.interlock.engine.workflow.NodeRuns;
import io.interlock.engine.workflow.Workflows;
import io.interlock.engine.workflow.Workflows.LockAcquisitionFailedException;
import io.interlock.engine.workflow.Workflows.WorkflowLockedException;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.SweepAction;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Operations.Signatures;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.interlock.service.LockService;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Workflows started by webhooks: one execution at a time, and one for each event. A workflow is a job, its lock the key {@code workflow/{id}}, an execution
 * a run.
 */
public final class WorkflowApi {

    public static final String DOCUMENT = "compat/workflows.yaml";

    /** For which user an execution is: a field of the body, kept as a label. */
    private static final String USER = "userId";

    /** Executions take from seconds to minutes, so a sender that asks sooner asks in vain. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private final CompatRuns runs;
    private final TriggerSenders senders;

    private WorkflowApi(CompatRuns runs, TriggerSenders senders) {
        this.runs = runs;
        this.senders = senders;
    }

    /** Answers the operations of this compatible API; {@code secrets} are those by which senders of webhooks are known. */
    static Operations operations(
            OperationContext context, Collection<JobSettings> jobs, Collection<TriggerSecret> secrets) {
        TriggerSenders senders = new TriggerSenders(secrets);
        WorkflowApi api = new WorkflowApi(new CompatRuns(context, CompatApi.WORKFLOWS, jobs), senders);
        return new Operations()
                .on("triggerWorkflow", api::trigger)
                .signedBy("triggerWorkflow", senders)
                .on(
                        "getWorkflowLock",
                        context.blocking(call -> Reply.ok(lockJson(LockService.view(context.engine(), api.key(call))))))
                .on("releaseWorkflowLock", context.blocking(call -> api.runs.release(call, api.key(call))))
                .on("cleanWorkflowLocks", context.blocking(api::clean))
                .on("getExecution", context.blocking(api::get))
                .on("abortExecution", context.blocking(api::abort));
    }

    /** Idempotency first, then the lock. */
    private CompletionStage<Reply> trigger(Call call) {
        String trigger = call.required("triggerId", String.class);
        JobSettings workflow = runs.jobs().stream()
                .filter(job -> job.triggers().containsKey(trigger))
                .findFirst()
                .orElseThrow(() -> Problem.notFound("trigger", trigger));
        RunRequest anonymous = CompatRuns.request(
                        call, Workflows.request(call.tenant(), workflow.name()).key(), workflow)
                .parameters(call.body().encode())
                .priority(workflow.triggers().getOrDefault(trigger, 0));
        RunRequest plain = at(call.body(), USER)
                .map(user -> anonymous.labels(Map.of(USER, user)))
                .orElse(anonymous);
        RunRequest request = eventId(call, workflow)
                .map(event -> Workflows.forEvent(plain, trigger + "/" + event))
                .orElse(plain);
        return runs.submit(call, request)
                .thenCompose(answer -> runs.context().blocking(call, () -> reply(request, answer)));
    }

    private Reply reply(RunRequest request, Submission answer) {
        try {
            Workflows.Execution execution = Workflows.on(runs.engine()).execution(request, answer);
            return Reply.ok(Facts.with("success", true)
                    .and("executionId", execution.id())
                    .and("duplicate", execution.duplicate()));
        } catch (WorkflowLockedException locked) {
            RunId existing = locked.existingExecutionId();
            return conflict(
                    "Workflow currently executing",
                    "Only one execution can run at a time. Currently executing: " + existing,
                    existing);
        } catch (LockAcquisitionFailedException raced) {
            return conflict(
                    "Concurrent execution attempted", "Another concurrent request acquired the execution lock", null);
        } catch (RefusedException refused) {
            throw runs.problem(refused.refusal());
        }
    }

    private static Reply conflict(String error, String details, @Nullable RunId existing) {
        return Reply.conflict(Facts.with("success", false)
                        .and("error", error)
                        .and("details", details)
                        .and("existingExecutionId", existing))
                .retryAfter(ASK_AGAIN);
    }

    /**
     * Of the body, else of a header. Without one every call is an event of its own. Of a signed message only what was signed counts:
     * with any other header a client that has seen it could send it as ever new events.
     */
    private Optional<String> eventId(Call call, JobSettings workflow) {
        Optional<String> named = at(call.body(), workflow.eventId());
        Optional<SignatureCheck> signature = senders.signatureOf(call.caller().key());
        if (signature.isEmpty()) {
            return named.or(() -> call.optional("Idempotency-Key", String.class))
                    .or(() -> call.optional("webhook-id", String.class));
        }
        return named.or(() -> signature
                .get()
                .eventIdPath()
                .map(path -> at(call.body(), path))
                .orElseGet(() -> call.optional("webhook-id", String.class)));
    }

    /** The text or number at a path, if there is one. */
    private static Optional<String> at(JsonObject body, String path) {
        JsonObject inner = body;
        String[] names = path.split("\\.", -1);
        for (int i = 0; i < names.length - 1; i++) {
            if (!(inner.getValue(names[i]) instanceof JsonObject next)) {
                return Optional.empty();
            }
            inner = next;
        }
        Object id = inner.getValue(names[names.length - 1]);
        return id instanceof String || id instanceof Number ? Optional.of(String.valueOf(id)) : Optional.empty();
    }

    /** What the janitor does by itself every few seconds, now. */
    private Reply clean(Call call) {
        long cleaned = runs.engine().janitor().runOnce().stream()
                .flatMap(round -> round.actions().stream())
                .map(SweepAction::key)
                .filter(key -> key.tenant().equals(call.tenant()) && key.name().startsWith(Workflows.KEYS))
                .distinct()
                .count();
        return Reply.ok(Facts.with("cleaned", cleaned));
    }

    private Reply get(Call call) {
        Run run = require(call);
        Facts json = execution(run);
        if (work(run) instanceof Work.Nodes nodes && !json.map().containsKey("node")) {
            json.and(
                    "nodes",
                    nodes.jobs().stream()
                            .map(node -> node(node, NodeRuns.find(runs.engine(), run, node)))
                            .toList());
        }
        return Reply.ok(json);
    }

    private @Nullable Work work(Run run) {
        return runs.job(run.job().value()).map(JobSettings::work).orElse(null);
    }

    private Reply abort(Call call) {
        Run run = require(call);
        String reason = call.body().getString("reason", "no reason given");
        CancelAnswer answer = runs.engine().cancel(run.id(), call.actor(), reason);
        if (answer instanceof CancelAnswer.Over over) {
            throw Problem.of(
                    ProblemCode.RUN_FINISHED,
                    "Execution " + run.id() + " is " + status(over.run().state()) + " already.");
        }
        Run now = answer instanceof CancelAnswer.Cancelled cancelled ? cancelled.run() : run;
        return Reply.accepted(
                Facts.with("success", true).and("executionId", run.id()).and("status", status(now.state())));
    }

    private Run require(Call call) {
        return runs.require(call, "execution", Workflows.KEYS);
    }

    private LockKey key(Call call) {
        String workflow = call.required("id", String.class);
        return runs.job(workflow)
                .map(job -> Workflows.request(call.tenant(), workflow).key())
                .orElseThrow(() -> Problem.notFound("workflow", workflow));
    }

    /** An execution of a workflow, or of one of its nodes. */
    private static Facts execution(Run run) {
        String[] names = run.key().name().substring(Workflows.KEYS.length()).split("/node/", 2);
        return facts(run)
                .and("workflowId", names[0])
                .and(USER, run.spec().labels().get(USER))
                .and("node", names.length == 1 ? null : names[1]);
    }

    /** A node of an execution; one that was not started yet is pending. */
    private static Facts node(String name, Optional<Run> run) {
        return run.map(WorkflowApi::facts)
                .orElseGet(() -> Facts.none()
                        .orNull("executionId", null)
                        .and("status", "PENDING")
                        .orNull("startedAt", null)
                        .orNull("finishedAt", null)
                        .orNull("error", null))
                .and("node", name);
    }

    private static Facts facts(Run run) {
        return Facts.with("executionId", run.id())
                .and("status", status(run.state()))
                .orNull("startedAt", CompatRuns.startedAt(run))
                .orNull("finishedAt", CompatRuns.endedAt(run))
                .orNull("error", CompatRuns.error(run));
    }

    private static String status(RunState state) {
        return switch (state) {
            case QUEUED, PENDING -> "PENDING";
            case SUCCEEDED -> "SUCCESS";
            case DEAD, TIMED_OUT -> "FAILED";
            default -> state.name();
        };
    }

    private static Facts lockJson(Optional<KeyView> view) {
        return Facts.with(
                        "isLocked",
                        view.filter(known -> known.lease() != null || known.run() != null)
                                .isPresent())
                .orNull("executionId", view.flatMap(CompatRuns::runOf).orElse(null))
                .orNull("lockedSince", view.flatMap(CompatRuns::since).orElse(null))
                .orNull("expiresAt", view.flatMap(WorkflowApi::end).orElse(null))
                .and("isStale", view.filter(WorkflowApi::isStale).isPresent());
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
    private static Optional<Instant> end(KeyView view) {
        return view.currentRun()
                .filter(run -> view.lease() != null)
                .flatMap(run -> run.spec().limits().runtimeLimit())
                .flatMap(limit -> CompatRuns.since(view).map(since -> since.plus(limit)))
                .or(() -> CompatRuns.opensAt(view));
    }

    /** Senders of webhooks, known by secrets that are bound to a trigger and a tenant. They may start that trigger, nothing else. */
    static final class TriggerSenders implements Signatures {

        private static final int ID_LENGTH = 24;

        private final List<TriggerSecret> secrets;

        TriggerSenders(Collection<TriggerSecret> secrets) {
            this.secrets = List.copyOf(secrets);
        }

        @Override
        public boolean expects(RoutingContext context) {
            return secrets.stream()
                    .filter(secret -> secret.trigger().equals(trigger(context)))
                    .anyMatch(
                            secret -> context.request().getHeader(secret.check().header()) != null);
        }

        @Override
        public Optional<AccessKey> recognise(RoutingContext context, Buffer body) {
            return secrets.stream()
                    .filter(secret -> secret.trigger().equals(trigger(context)))
                    .filter(secret -> secret.check().verify(context.request()::getHeader, body.getBytes()))
                    .map(TriggerSenders::sender)
                    .findFirst();
        }

        /** By what {@code key} was recognised, if it stands for one of them: what it asks for was signed. */
        Optional<SignatureCheck> signatureOf(AccessKey key) {
            return secrets.stream()
                    .filter(secret -> sender(secret).equals(key))
                    .map(TriggerSecret::check)
                    .findFirst();
        }

        private static String trigger(RoutingContext context) {
            return String.valueOf(context.pathParam("triggerId"));
        }

        /** What an API key would be for others: it has no secret of its own that could be shown. */
        private static AccessKey sender(TriggerSecret secret) {
            String hash = Sha256.hex(secret.tenant() + ":" + secret.trigger() + ":"
                    + secret.check().header());
            return new AccessKey(
                    "webhook" + hash.substring(0, ID_LENGTH),
                    secret.tenant(),
                    Role.TRIGGER,
                    "webhook " + secret.trigger(),
                    hash,
                    Instant.EPOCH,
                    null,
                    null);
        }
    }
}
