package io.interlock.server.operation;

import io.interlock.LeaseId;
import io.interlock.Refusal;
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
import io.interlock.service.Facts;
import io.interlock.service.RefusalFacts;
import io.interlock.service.Request;
import io.interlock.service.RunFacts;
import io.interlock.service.RunService;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code startRun} and {@code rerunRun}: start, join, queue, skip or refuse, and wait for the end if asked to. */
final class StartOperation {

    private final OperationContext context;
    private final RunLookups lookups;
    private final RunService runs;

    StartOperation(OperationContext context, RunLookups lookups) {
        this.context = context;
        this.lookups = lookups;
        this.runs = context.service().runs();
    }

    CompletionStage<Reply> start(Call call) {
        RunRequest request = withHeaders(call, runs.start(call.request()));
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
        Request request = call.request();
        return context.blocking(call, () -> runs.require(request))
                .thenComposeAsync(run -> submit(call, withHeaders(call, RunService.again(request, run))), call.loop());
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
            return done(RunOperations.waiting(RunFacts.of(over)));
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
            Facts json = RefusalFacts.of(refusal, view.orElse(null));
            return Reply.ok(Facts.with("key", refusal.key().name())
                    .merge(json)
                    .and("job", call.body().getString("job", RunService.CALLERS_JOB))
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

    /** With what a start and a repetition both may say in headers. */
    private static RunRequest withHeaders(Call call, RunRequest request) {
        RunRequest traced = call.traceparent().map(request::trace).orElse(request);
        return call.body().containsKey("idempotencyKey")
                ? traced
                : call.optional("Idempotency-Key", String.class)
                        .map(StartOperation::unquoted)
                        .map(traced::idempotencyKey)
                        .orElse(traced);
    }

    /** The draft standard wants quotes that clients forget. */
    private static String unquoted(String text) {
        return text.length() > 2 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1)
                : text;
    }

    /** The id the caller gives the grant, so that it can repeat a request whose answer was lost. */
    private static Optional<LeaseId> leaseId(Call call) {
        return Optional.ofNullable(call.body().getString("leaseId")).map(LeaseId::parse);
    }
}
