package io.interlock.server.runs;

import io.interlock.LeaseId;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Execution;
import io.interlock.run.Run;
import io.interlock.run.TurnAnswer;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.RunJson;
import io.interlock.server.problem.Refusals;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code startRun}: starts, joins, queues, skips or refuses, and waits for what comes of it if asked to. */
final class StartOperation {

    private final OperationContext context;
    private final KnownRuns known;
    private final RunLookups views;

    StartOperation(OperationContext context, KnownRuns known, RunLookups views) {
        this.context = context;
        this.known = known;
        this.views = views;
    }

    CompletionStage<Reply> start(Call call) {
        RunRequest request = StartRequest.read(call);
        if (request.execution() == Execution.WORKER) {
            return context.engine()
                    .submitAsync(request)
                    .thenComposeAsync(answer -> answer(call, answer, null), call.loop());
        }
        LeaseId lease = StartRequest.leaseId(call)
                .orElseGet(() -> LeaseId.random(context.environment().random()));
        RemoteWork.Caller caller = Holders.caller(call, lease);
        return context.engine()
                .remote()
                .submit(request, caller)
                .thenComposeAsync(answer -> answer(call, answer, caller), call.loop());
    }

    private CompletionStage<Reply> answer(Call call, Submission submission, RemoteWork.@Nullable Caller caller) {
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
        if (submission instanceof Submission.Skipped skipped) {
            return skipped(call, skipped.refusal());
        }
        Refusal refusal = ((Submission.Rejected) submission).refusal();
        return views.key(refusal.key())
                .thenApplyAsync(
                        view -> {
                            throw Refusals.of(refusal, view.orElse(null)).thrown();
                        },
                        call.loop());
    }

    private CompletionStage<Reply> started(Call call, Submission.Started started) {
        Run run = started.started();
        if (started.lease() != null) {
            known.remember(run);
            JsonObject json = RunJson.granted(
                    RunJson.of(run, started.explanation()),
                    started.lease(),
                    run.spec().terms().ttl());
            return done(Reply.created(json, RunOperations.location(run)));
        }
        if (call.patience().isZero()) {
            return done(Reply.created(RunJson.of(run, started.explanation()), RunOperations.location(run)));
        }
        return ended(call, run).thenApply(now -> Reply.created(RunJson.of(now), RunOperations.location(run)));
    }

    private CompletionStage<Reply> queued(Call call, Submission.Queued queued) {
        CompletionStage<Run> later = call.patience().isZero()
                ? CompletableFuture.completedFuture(queued.queued())
                : ended(call, queued.queued());
        return later.thenCompose(run -> run.state() == RunState.QUEUED
                ? views.waiting(run, queued.position()).thenApply(json -> RunOperations.waiting(run, json))
                : done(Reply.created(RunJson.of(run), RunOperations.location(run))));
    }

    /** A caller that would wait for its turn itself has it waited for here, for as long as it prefers. */
    private CompletionStage<Reply> turn(Call call, Submission.Queued queued, RemoteWork.Caller caller) {
        Run run = queued.queued();
        if (call.patience().isZero() || run.state().isTerminal()) {
            return views.waiting(run, queued.position()).thenApply(json -> RunOperations.waiting(run, json));
        }
        CompletionStage<TurnAnswer> turn =
                context.engine().remote().takeTurn(run.id(), run.key(), caller, call.patience());
        return context.waits().until(call, turn).thenCompose(answer -> {
            if (answer instanceof TurnAnswer.Granted granted) {
                known.remember(granted.run());
                Duration ttl = granted.run().spec().terms().ttl();
                JsonObject json = RunJson.granted(RunJson.of(granted.run()), granted.lease(), ttl);
                return done(Reply.created(json, RunOperations.location(run)));
            }
            if (answer instanceof TurnAnswer.Waiting waiting) {
                return views.waiting(waiting.run(), waiting.position())
                        .thenApply(json -> RunOperations.waiting(run, json));
            }
            Run over = ((TurnAnswer.Over) answer).current().orElse(run);
            return done(RunOperations.waiting(over, RunJson.of(over)));
        });
    }

    private CompletionStage<Reply> attached(Call call, Run run, String explanation) {
        if (call.patience().isZero()) {
            return done(Reply.ok(RunJson.of(run, explanation).put("deduplicated", true)));
        }
        return ended(call, run).thenApply(now -> Reply.ok(RunJson.of(now).put("deduplicated", true)));
    }

    /**
     * A request under an idempotency key that counts already, perhaps somebody else's: of several hosts with the same nightly job, say.
     * Only whoever names the lease id the grant was made under is the one whose answer was lost, and gets the grant again.
     */
    private CompletionStage<Reply> repeated(
            Call call, Submission.Duplicate duplicate, RemoteWork.@Nullable Caller caller) {
        Run first = duplicate.first();
        JsonObject json = RunJson.of(first, duplicate.explanation()).put("deduplicated", true);
        if (caller != null && first.state() == RunState.QUEUED) {
            // Nothing is to be waited for here: it takes its turn by the id of the run, and leaves the line unless it
            // asks for it.
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
                        .map(lease -> done(Reply.ok(RunJson.granted(
                                json, lease, first.spec().terms().ttl()))))
                        .orElseGet(() -> attached(call, first, duplicate.explanation())));
    }

    private CompletionStage<Reply> skipped(Call call, Refusal refusal) {
        return views.key(refusal.key()).thenApply(view -> {
            JsonObject json = new JsonObject()
                    .put("key", refusal.key().name())
                    .put("job", call.body().getString("job", StartRequest.CALLERS_JOB))
                    .put("state", "SKIPPED");
            Refusals.facts(refusal, view.orElse(null)).forEach(fact -> {
                if (!json.containsKey(fact.getKey())) {
                    json.put(fact.getKey(), fact.getValue());
                }
            });
            return Reply.ok(json.put("explanation", refusal.explanation()));
        });
    }

    private CompletionStage<Run> ended(Call call, Run run) {
        return context.waits()
                .until(call, context.engine().awaitEndAsync(run.id(), call.patience()))
                .thenApply(now -> now.orElse(run));
    }

    private static CompletionStage<Reply> done(Reply reply) {
        return CompletableFuture.completedFuture(reply);
    }
}
