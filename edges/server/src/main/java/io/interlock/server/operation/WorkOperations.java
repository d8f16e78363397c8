package io.interlock.server.operation;

import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.engine.RemoteWork;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.RunTexts;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.interlock.service.RefusalFacts;
import io.interlock.service.RunFacts;
import io.interlock.service.RunService;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What workers and callers in other processes say: {@code claimWork}, {@code takeTurn}, {@code heartbeat}, {@code finishRun}. */
final class WorkOperations {

    private final OperationContext context;
    private final RunLookups lookups;

    WorkOperations(OperationContext context, RunLookups lookups) {
        this.context = context;
        this.lookups = lookups;
    }

    CompletionStage<Reply> claim(Call call) {
        JsonObject body = call.body();
        RemoteWork.Claim claim = new RemoteWork.Claim(
                UUID.fromString(body.getString("claimId")),
                call.holder(body.getString("worker")),
                call.tenant(),
                jobs(body.getJsonArray("jobs")),
                body.getInteger("max"));
        return context.waits()
                .until(call, context.engine().remote().claim(claim, call.patience()))
                .thenApply(claimed -> {
                    claimed.forEach(each -> lookups.remember(each.run()));
                    return Reply.items(
                            claimed.stream().map(WorkOperations::item).toList());
                });
    }

    CompletionStage<Reply> takeTurn(Call call) {
        RemoteWork.Caller caller = call.worker(LeaseId.parse(call.body().getString("leaseId")));
        return lookups.facts(call)
                .thenCompose(run -> context.waits()
                        .until(call, context.engine().remote().takeTurn(run.id(), run.key(), caller, call.patience())))
                .thenCompose(answer -> turn(call, answer));
    }

    private CompletionStage<Reply> turn(Call call, TurnAnswer answer) {
        if (answer instanceof TurnAnswer.Granted granted) {
            Run run = granted.run();
            return CompletableFuture.completedFuture(
                    Reply.ok(RunFacts.granted(RunFacts.of(run), granted.lease(), run)));
        }
        if (answer instanceof TurnAnswer.Waiting waiting) {
            return lookups.waiting(waiting.run(), waiting.position());
        }
        Run run = ((TurnAnswer.Over) answer).current().orElseThrow(() -> RunLookups.unknown(call));
        throw run.state().isTerminal() ? RunService.finished(run) : noTurn(run);
    }

    CompletionStage<Reply> heartbeat(Call call) {
        JsonObject body = call.body();
        JsonObject told = body.getJsonObject("progress");
        Progress progress = told == null ? null : new Progress(told.getLong("done"), told.getLong("total"));
        return lookups.facts(call)
                .thenCompose(run -> context.engine()
                        .remote()
                        .heartbeat(proof(call, run), body.getString("stage"), progress)
                        .thenApplyAsync(
                                answer -> {
                                    if (answer instanceof HeartbeatAnswer.Lost lost) {
                                        throw RefusalFacts.leaseLost(
                                                run.key(), token(call), lost.cause(), lost.current());
                                    }
                                    return Reply.ok(heartbeat((HeartbeatAnswer.Beating) answer, run));
                                },
                                call.loop()));
    }

    CompletionStage<Reply> finish(Call call) {
        Ending ending = ending(call.body());
        return lookups.facts(call)
                .thenCompose(run -> keepOutput(call, run)
                        .thenCompose(kept -> context.engine().remote().finish(proof(call, run), ending))
                        .thenComposeAsync(answer -> finished(call, run, answer), call.loop()));
    }

    // Before the run ends, so that a reader that waits for the end finds it. The run ends also if it could not be kept.
    private CompletionStage<Boolean> keepOutput(Call call, RunLookups.KnownRun run) {
        String output = call.body().getString("output");
        return output == null
                ? CompletableFuture.completedFuture(false)
                : context.engine().remote().keepOutput(proof(call, run), output).exceptionally(lost -> false);
    }

    private CompletionStage<Reply> finished(Call call, RunLookups.KnownRun run, FinishAnswer answer) {
        if (answer instanceof FinishAnswer.Finished finished) {
            return CompletableFuture.completedFuture(Reply.ok(RunFacts.of(finished.run())));
        }
        if (answer instanceof FinishAnswer.AlreadyFinished already) {
            throw RunService.finished(already.run());
        }
        FinishAnswer.LeaseLost lost = (FinishAnswer.LeaseLost) answer;
        return context.engine().leases().find(run.key()).thenApply(current -> {
            LeaseRecord now = current.orElse(null);
            throw RefusalFacts.leaseLost(run.key(), token(call), lost.cause(), now);
        });
    }

    private static Ending ending(JsonObject body) {
        String outcome = body.getString("outcome");
        if (outcome.equals("SUCCEEDED")) {
            return new Ending.Succeeded(body.containsKey("result") ? Json.encode(body.getValue("result")) : null);
        }
        RunError error = error(body.getJsonObject("error"), outcome);
        return switch (outcome) {
            case "FAILED" -> new Ending.Failed(error, body.getBoolean("retryable", true), null);
            case "TIMED_OUT" -> new Ending.TimedOut(error);
            default -> new Ending.Aborted(error);
        };
    }

    private static RunError error(@Nullable JsonObject told, String outcome) {
        return told == null
                ? new RunError(outcome, "the worker gave no reason")
                : new RunError(code(told), told.getString("message", ""));
    }

    private static String code(JsonObject told) {
        return RunTexts.require(
                "code", told.getString("code"), "name the error in one word, and tell the rest in its message");
    }

    private static RemoteWork.Proof proof(Call call, RunLookups.KnownRun run) {
        return new RemoteWork.Proof(
                run.id(), run.key(), LeaseId.parse(call.body().getString("leaseId")), token(call));
    }

    private static FencingToken token(Call call) {
        return new FencingToken(call.body().getLong("token"));
    }

    private static Facts heartbeat(HeartbeatAnswer.Beating beating, RunLookups.KnownRun run) {
        return Facts.with("token", beating.lease().token().value())
                .and("expiresAt", beating.lease().expiresAt())
                .and("heartbeatEvery", run.ttl().dividedBy(3))
                .and("cancelRequested", beating.stopRequest().isPresent())
                .and("cancelReason", beating.stopRequest().orElse(null), StopRequest::reason);
    }

    private static Facts item(Claimed claimed) {
        Run run = claimed.run();
        return RunFacts.granted(Facts.with("run", RunFacts.of(run)), claimed.lease(), run)
                .and("parameters", OperationContext.decoded(run.spec().parameters()))
                .and("tenant", run.key().tenant())
                .and("lease", run.spec().terms().ttl())
                .and("maxRuntime", run.spec().limits().maxRuntime())
                .and("traceparent", run.spec().origin().trace());
    }

    /** A queued run whose turn is not this caller's to take. */
    private static RuntimeException noTurn(Run run) {
        return Problem.of(
                        ProblemCode.LEASE_LOST,
                        "Run " + run.id() + " is " + run.state() + " and has no turn for this caller.")
                .with("key", run.key().name())
                .with("state", run.state().name())
                .with(
                        "currentToken",
                        run.status()
                                .lastTurn()
                                .map(turn -> turn.token().value())
                                .orElse(null));
    }

    private static Set<JobName> jobs(JsonArray names) {
        Set<JobName> jobs = new LinkedHashSet<>();
        for (int i = 0; i < names.size(); i++) {
            try {
                jobs.add(new JobName(names.getString(i)));
            } catch (InvalidSettingException invalid) {
                throw Problem.invalid("/jobs/" + i, String.valueOf(invalid.getMessage()));
            }
        }
        return jobs;
    }
}
