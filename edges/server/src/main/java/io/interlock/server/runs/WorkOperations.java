package io.interlock.server.runs;

import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.engine.RemoteWork;
import io.interlock.run.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.run.JobName;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunTexts;
import io.interlock.run.TurnAnswer;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.interlock.server.json.RunJson;
import io.interlock.server.problem.Problem;
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
    private final KnownRuns known;
    private final RunLookups views;

    WorkOperations(OperationContext context, KnownRuns known, RunLookups views) {
        this.context = context;
        this.known = known;
        this.views = views;
    }

    CompletionStage<Reply> claim(Call call) {
        JsonObject body = call.body();
        RemoteWork.Claim claim = new RemoteWork.Claim(
                UUID.fromString(body.getString("claimId")),
                Holders.named(call, body.getString("worker")),
                call.tenant(),
                jobs(body.getJsonArray("jobs")),
                body.getInteger("max"));
        return context.waits()
                .until(call, context.engine().remote().claim(claim, call.patience()))
                .thenApply(claimed -> {
                    JsonArray items = new JsonArray();
                    claimed.forEach(each -> {
                        known.remember(each.run());
                        items.add(item(each));
                    });
                    return Reply.ok(new JsonObject().put("items", items));
                });
    }

    CompletionStage<Reply> takeTurn(Call call) {
        RemoteWork.Caller caller =
                Holders.caller(call, LeaseId.parse(call.body().getString("leaseId")));
        return known.facts(call)
                .thenCompose(run -> context.waits()
                        .until(call, context.engine().remote().takeTurn(run.id(), run.key(), caller, call.patience())))
                .thenCompose(answer -> turn(call, answer));
    }

    private CompletionStage<Reply> turn(Call call, TurnAnswer answer) {
        if (answer instanceof TurnAnswer.Granted granted) {
            Run run = granted.run();
            return CompletableFuture.completedFuture(Reply.ok(RunJson.granted(
                    RunJson.of(run), granted.lease(), run.spec().terms().ttl())));
        }
        if (answer instanceof TurnAnswer.Waiting waiting) {
            return views.waiting(waiting.run(), waiting.position())
                    .thenApply(json -> RunOperations.waiting(waiting.run(), json));
        }
        Run run = ((TurnAnswer.Over) answer)
                .current()
                .orElseThrow(() -> KnownRuns.unknown(call.required("id", String.class)));
        throw run.state().isTerminal() ? RunOperations.finished(run) : LeaseLossProblems.ofTurn(run);
    }

    CompletionStage<Reply> heartbeat(Call call) {
        JsonObject body = call.body();
        JsonObject told = body.getJsonObject("progress");
        Progress progress = told == null ? null : new Progress(told.getLong("done"), told.getLong("total"));
        return known.facts(call)
                .thenCompose(run -> context.engine()
                        .remote()
                        .heartbeat(proof(call, run), body.getString("stage"), progress)
                        .thenApplyAsync(
                                answer -> {
                                    if (answer instanceof HeartbeatAnswer.Lost lost) {
                                        throw LeaseLossProblems.of(
                                                run.key(), token(call), lost.cause(), lost.current());
                                    }
                                    return Reply.ok(heartbeat((HeartbeatAnswer.Beating) answer, run));
                                },
                                call.loop()));
    }

    CompletionStage<Reply> finish(Call call) {
        Ending ending = ending(call.body());
        return known.facts(call)
                .thenCompose(run -> keepOutput(call, run)
                        .thenCompose(kept -> context.engine().remote().finish(proof(call, run), ending))
                        .thenComposeAsync(answer -> finished(call, run, answer), call.loop()));
    }

    // Before the end is told, so that whoever waits for that finds it. Whether it could be kept does not decide how the
    // run ends.
    private CompletionStage<Boolean> keepOutput(Call call, KnownRuns.KnownRun run) {
        String output = call.body().getString("output");
        return output == null
                ? CompletableFuture.completedFuture(false)
                : context.engine().remote().keepOutput(proof(call, run), output).exceptionally(lost -> false);
    }

    private CompletionStage<Reply> finished(Call call, KnownRuns.KnownRun run, FinishAnswer answer) {
        if (answer instanceof FinishAnswer.Finished finished) {
            return CompletableFuture.completedFuture(Reply.ok(RunJson.of(finished.run())));
        }
        if (answer instanceof FinishAnswer.AlreadyFinished already) {
            throw RunOperations.finished(already.run());
        }
        FinishAnswer.LeaseLost lost = (FinishAnswer.LeaseLost) answer;
        return context.engine().leases().find(run.key()).thenApply(current -> {
            LeaseRecord now = current.orElse(null);
            throw LeaseLossProblems.of(run.key(), token(call), lost.cause(), now);
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
                ? new RunError(outcome, "whoever did the work gave no reason")
                : new RunError(code(told), told.getString("message", ""));
    }

    private static String code(JsonObject told) {
        return RunTexts.require(
                "code", told.getString("code"), "name the error in one word, and tell the rest in its message");
    }

    private static RemoteWork.Proof proof(Call call, KnownRuns.KnownRun run) {
        return new RemoteWork.Proof(
                run.id(), run.key(), LeaseId.parse(call.body().getString("leaseId")), token(call));
    }

    private static FencingToken token(Call call) {
        return new FencingToken(call.body().getLong("token"));
    }

    private static JsonObject heartbeat(HeartbeatAnswer.Beating beating, KnownRuns.KnownRun run) {
        JsonObject json = new JsonObject()
                .put("token", beating.lease().token().value())
                .put("expiresAt", JsonTime.of(beating.lease().expiresAt()))
                .put("heartbeatEvery", JsonTime.of(run.ttl().dividedBy(3)))
                .put("cancelRequested", beating.stopRequest().isPresent());
        beating.stopRequest().ifPresent(stop -> json.put("cancelReason", stop.reason()));
        return json;
    }

    private static JsonObject item(Claimed claimed) {
        Run run = claimed.run();
        JsonObject json = RunJson.granted(
                        new JsonObject().put("run", RunJson.of(run)),
                        claimed.lease(),
                        run.spec().terms().ttl())
                .put("parameters", Json.decodeValue(run.spec().parameters()))
                .put("tenant", run.key().tenant())
                .put("lease", JsonTime.of(run.spec().terms().ttl()));
        run.spec().limits().runtimeLimit().ifPresent(limit -> json.put("maxRuntime", JsonTime.of(limit)));
        String trace = run.spec().origin().trace();
        return trace == null ? json : json.put("traceparent", trace);
    }

    private static Set<JobName> jobs(JsonArray names) {
        Set<JobName> jobs = new LinkedHashSet<>();
        for (int i = 0; i < names.size(); i++) {
            try {
                jobs.add(new JobName(names.getString(i)));
            } catch (InvalidSettingException invalid) {
                throw Problem.invalid("/jobs/" + i, String.valueOf(invalid.getMessage()))
                        .thrown();
            }
        }
        return jobs;
    }
}
