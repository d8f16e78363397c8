package io.interlock.server.operation;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseId;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunSpec.Execution;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.Refusals;
import io.interlock.service.EngineService;
import io.interlock.service.Facts;
import io.interlock.service.RunFacts;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** {@code startRun} and {@code rerunRun}: start, join, queue, skip or refuse, and wait for the end if asked to. */
final class StartOperation {

    /** The job of runs whose caller does the work and names none. */
    private static final String CALLERS_JOB = "caller";

    private final OperationContext context;
    private final RunLookups lookups;

    StartOperation(OperationContext context, RunLookups lookups) {
        this.context = context;
        this.lookups = lookups;
    }

    CompletionStage<Reply> start(Call call) {
        RunRequest request = request(call);
        if (request.execution() == Execution.WORKER) {
            return submit(call, request);
        }
        LeaseId lease = leaseId(call)
                .orElseGet(() -> LeaseId.random(context.environment().random()));
        RemoteWork.Caller caller = call.worker(lease);
        return context.engine().remote().submit(request, caller).thenCompose(answer -> answer(call, answer, caller));
    }

    private CompletionStage<Reply> submit(Call call, RunRequest request) {
        return context.engine().submitAsync(request).thenCompose(answer -> answer(call, answer, null));
    }

    CompletionStage<Reply> again(Call call) {
        RunId id = RunLookups.id(call);
        return context.blocking(call, () -> lookups.require(call, id))
                .thenComposeAsync(
                        run -> {
                            if (run.spec().execution() == Execution.CALLER) {
                                throw Problem.invalid("path/id", "is its caller's work, which no worker can do again");
                            }
                            return submit(
                                    call, common(call, EngineService.again(run).submitter(call.actor())));
                        },
                        call.loop());
    }

    /** A refusal is looked up from here, so that those of one batch of the store are looked up together. */
    private CompletionStage<Reply> answer(Call call, Submission submission, RemoteWork.@Nullable Caller caller) {
        return submission instanceof Submission.Rejected rejected
                ? lookups.refused(call, rejected.refusal())
                : CompletableFuture.completedFuture(submission)
                        .thenComposeAsync(taken -> taken(call, taken, caller), call.loop());
    }

    private CompletionStage<Reply> taken(Call call, Submission submission, RemoteWork.@Nullable Caller caller) {
        if (submission instanceof Submission.Started started) {
            return started(call, started);
        }
        if (submission instanceof Submission.Queued queued) {
            return caller == null ? queued(call, queued) : turn(call, queued, caller);
        }
        if (submission instanceof Submission.Joined joined) {
            return attached(call, joined.joined(), joined.explanation());
        }
        if (submission instanceof Submission.Duplicate duplicate) {
            return repeated(call, duplicate, caller);
        }
        return skipped(call, ((Submission.Skipped) submission).refusal());
    }

    private CompletionStage<Reply> started(Call call, Submission.Started started) {
        Run run = started.started();
        if (started.lease() != null) {
            lookups.remember(run);
            Facts json = RunFacts.granted(RunFacts.of(run, started.explanation()), started.lease(), run);
            return done(Reply.created(json, RunOperations.location(run)));
        }
        return facts(call, run, started.explanation())
                .thenApply(json -> Reply.created(json, RunOperations.location(run)));
    }

    private CompletionStage<Reply> queued(Call call, Submission.Queued queued) {
        return ended(call, queued.queued())
                .thenCompose(run -> run.state() == RunState.QUEUED
                        ? lookups.waiting(run, queued.position())
                        : done(Reply.created(RunFacts.of(run), RunOperations.location(run))));
    }

    /** Waits for the turn of a run whose caller does the work, for as long as the caller prefers. */
    private CompletionStage<Reply> turn(Call call, Submission.Queued queued, RemoteWork.Caller caller) {
        Run run = queued.queued();
        if (call.patience().isZero() || run.state().isTerminal()) {
            return lookups.waiting(run, queued.position());
        }
        CompletionStage<TurnAnswer> turn =
                context.engine().remote().takeTurn(run.id(), run.key(), caller, call.patience());
        return context.waits().until(call, turn).thenCompose(answer -> {
            if (answer instanceof TurnAnswer.Granted granted) {
                lookups.remember(granted.run());
                Facts json = RunFacts.granted(RunFacts.of(granted.run()), granted.lease(), granted.run());
                return done(Reply.created(json, RunOperations.location(run)));
            }
            if (answer instanceof TurnAnswer.Waiting waiting) {
                return lookups.waiting(waiting.run(), waiting.position());
            }
            Run over = ((TurnAnswer.Over) answer).current().orElse(run);
            return done(RunOperations.waiting(over, RunFacts.of(over)));
        });
    }

    private CompletionStage<Reply> attached(Call call, Run run, String explanation) {
        return facts(call, run, explanation).thenApply(json -> Reply.ok(json.and("deduplicated", true)));
    }

    /** The run as it is after the wait that the caller asks for; with {@code explanation} if it asks for none. */
    private CompletionStage<Facts> facts(Call call, Run run, String explanation) {
        return call.patience().isZero()
                ? CompletableFuture.completedFuture(RunFacts.of(run, explanation))
                : ended(call, run).thenApply(RunFacts::of);
    }

    /**
     * A request under an idempotency key that is in use, perhaps by another host with the same nightly job. Only a caller that names the
     * lease id of the grant is the one whose answer was lost, and gets the grant again.
     */
    private CompletionStage<Reply> repeated(
            Call call, Submission.Duplicate duplicate, RemoteWork.@Nullable Caller caller) {
        Run first = duplicate.first();
        Facts json = RunFacts.of(first, duplicate.explanation()).and("deduplicated", true);
        if (caller != null && first.state() == RunState.QUEUED) {
            // No wait here: the caller takes its turn by the id of the run, and leaves the queue unless it does.
            return done(Reply.ok(json));
        }
        if (caller == null || first.state() != RunState.RUNNING) {
            return attached(call, first, duplicate.explanation());
        }
        return context.engine()
                .leases()
                .find(first.key())
                .thenCompose(found -> found.filter(
                                lease -> lease.isLive() && lease.id().equals(caller.lease()))
                        .map(lease -> done(Reply.ok(RunFacts.granted(json, lease, first))))
                        .orElseGet(() -> attached(call, first, duplicate.explanation())));
    }

    private CompletionStage<Reply> skipped(Call call, Refusal refusal) {
        return lookups.key(refusal.key()).thenApply(view -> {
            Facts json = Refusals.facts(refusal, view.orElse(null));
            return Reply.ok(Facts.with("key", refusal.key().name())
                    .merge(json)
                    .and("job", call.body().getString("job", CALLERS_JOB))
                    .and("state", "SKIPPED")
                    .and("explanation", refusal.explanation()));
        });
    }

    private CompletionStage<Run> ended(Call call, Run run) {
        return call.patience().isZero()
                ? CompletableFuture.completedFuture(run)
                : context.waits()
                        .until(call, context.engine().awaitEndAsync(run.id(), call.patience()))
                        .thenApply(now -> now.orElse(run));
    }

    private static CompletionStage<Reply> done(Reply reply) {
        return CompletableFuture.completedFuture(reply);
    }

    private static RunRequest request(Call call) {
        JsonObject body = call.body();
        boolean byCaller = "caller".equals(body.getString("execution"));
        String job = body.getString("job");
        if (job == null && !byCaller) {
            throw Problem.invalid("/job", "is required unless execution is caller");
        }
        if (body.containsKey("leaseId") && !byCaller) {
            throw Problem.invalid(
                    "/leaseId", "is for execution caller only: a worker that claims the run makes its own");
        }
        RunRequest request = RunRequest.of(call.key("key"), job == null ? CALLERS_JOB : job)
                .execution(byCaller ? Execution.CALLER : Execution.WORKER)
                .submitter(call.actor())
                .labels(labels(body.getJsonObject("labels")));
        request = with(
                request, body.getString("onConflict"), (asked, text) -> asked.onConflict(ConflictPolicy.valueOf(text)));
        request = with(request, body.getInteger("priority"), RunRequest::priority);
        request = with(request, call.duration("maxWait").orElse(null), RunRequest::maxWait);
        request = with(request, call.duration("lease").orElse(null), RunRequest::lease);
        request = with(request, call.duration("maxRuntime").orElse(null), RunRequest::maxRuntime);
        request = with(request, body.getJsonObject("parameters"), (asked, json) -> asked.parameters(json.encode()));
        return common(call, request);
    }

    /** What a start and a repetition both may say. */
    private static RunRequest common(Call call, RunRequest request) {
        RunRequest named = with(request, idempotencyKey(call), RunRequest::idempotencyKey);
        RunRequest explained = with(named, call.body().getString("reason"), RunRequest::reason);
        return with(explained, call.traceparent().orElse(null), RunRequest::trace);
    }

    /** The id the caller gives the grant, so that it can repeat a request whose answer was lost. */
    private static Optional<LeaseId> leaseId(Call call) {
        return Optional.ofNullable(call.body().getString("leaseId")).map(LeaseId::parse);
    }

    private static <T> RunRequest with(
            RunRequest request, @Nullable T value, BiFunction<RunRequest, T, RunRequest> setting) {
        return value == null ? request : setting.apply(request, value);
    }

    /** Of the body, else of the header, where the draft standard wants quotes that clients forget. */
    private static @Nullable String idempotencyKey(Call call) {
        String field = call.body().getString("idempotencyKey");
        if (field != null) {
            return field;
        }
        Optional<String> header = call.optional("Idempotency-Key", String.class);
        return header.map(text -> text.length() > 2 && text.startsWith("\"") && text.endsWith("\"")
                        ? text.substring(1, text.length() - 1)
                        : text)
                .orElse(null);
    }

    private static Map<String, String> labels(@Nullable JsonObject json) {
        Map<String, String> labels = new HashMap<>();
        if (json != null) {
            json.forEach(label -> labels.put(label.getKey(), (String) label.getValue()));
        }
        return labels;
    }
}
