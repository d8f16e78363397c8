package io.interlock.server.runs;

import io.interlock.run.Run;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Answers all operations about runs. */
public final class RunOperations {

    /** When to ask again about a run that waits. A caller that says nothing for 15 s is taken for gone. */
    static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private RunOperations() {}

    /** Adds them to {@code operations}. */
    public static void addTo(Operations operations, OperationContext context) {
        KnownRuns known = new KnownRuns(context);
        RunLookups views = new RunLookups(context);
        StartOperation start = new StartOperation(context, known, views);
        RunQueryOperations looks = new RunQueryOperations(context, known);
        WorkOperations work = new WorkOperations(context, known, views);
        RunControlOperations orders = new RunControlOperations(context, known);
        operations
                .on("startRun", start::start)
                .on("getRun", looks::get)
                .on("listRuns", looks::list)
                .on("heartbeat", work::heartbeat)
                .on("finishRun", work::finish)
                .on("takeTurn", work::takeTurn)
                .on("claimWork", work::claim)
                .on("cancelRun", orders::cancel)
                .on("redriveRun", orders::redrive)
                .on("discardRun", orders::discard);
    }

    static String location(Run run) {
        return "/api/v1/runs/" + run.id();
    }

    /** The answer about a run in line. */
    static Reply waiting(Run run, JsonObject json) {
        return Reply.accepted(json).header("Location", location(run)).retryAfter(ASK_AGAIN);
    }

    static RuntimeException finished(Run run) {
        return Problem.of(ProblemCode.RUN_FINISHED, "Run " + run.id() + " ended as " + run.state() + ".")
                .with("state", run.state().name())
                .with("endedAt", JsonTime.of(run.status().since()))
                .thrown();
    }
}
