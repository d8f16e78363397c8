package io.interlock.server.runs;

import io.interlock.RunId;
import io.interlock.TimeText;
import io.interlock.run.CancelAnswer;
import io.interlock.run.DeadLetter;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.Run;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.server.problem.Refusals;
import io.interlock.service.Facts;
import io.interlock.service.RunFacts;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The operations about runs; itself {@code cancelRun}, {@code redriveRun} and {@code discardRun}. */
public final class RunOperations {

    /** When to ask again about a run that waits. A caller that is silent for 15 s leaves the queue. */
    static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private final OperationContext context;
    private final KnownRuns known;

    private RunOperations(OperationContext context, KnownRuns known) {
        this.context = context;
        this.known = known;
    }

    public static void addTo(Operations operations, OperationContext context) {
        KnownRuns known = new KnownRuns(context);
        RunLookups views = new RunLookups(context);
        StartOperation start = new StartOperation(context, known, views);
        RunQueryOperations looks = new RunQueryOperations(context, known);
        WorkOperations work = new WorkOperations(context, known, views);
        RunOperations orders = new RunOperations(context, known);
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

    private CompletionStage<Reply> cancel(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking(call, () -> {
            known.require(call, id);
            CancelAnswer answer = context.engine().cancel(id, call.actor(), reason(call));
            if (answer instanceof CancelAnswer.Over over) {
                throw finished(over.run());
            }
            if (answer instanceof CancelAnswer.Unknown) {
                throw KnownRuns.unknown(id.toString());
            }
            Run run = answer instanceof CancelAnswer.Cancelled cancelled
                    ? cancelled.run()
                    : ((CancelAnswer.StopRequested) answer).run();
            return accepted(run);
        });
    }

    private CompletionStage<Reply> redrive(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking(call, () -> {
            known.require(call, id);
            RedriveAnswer answer = context.engine().deadLetters().redrive(id, call.actor(), reason(call));
            if (answer instanceof RedriveAnswer.Redriven redriven) {
                return accepted(redriven.run());
            }
            if (answer instanceof RedriveAnswer.Refused refused) {
                throw Refusals.of(refused.refusal(), null);
            }
            if (answer instanceof RedriveAnswer.Settled settled) {
                throw settled(settled.letter());
            }
            if (answer instanceof RedriveAnswer.CallersWork callers) {
                throw notDead(callers.run(), "is its caller's work, which no worker can do again");
            }
            if (answer instanceof RedriveAnswer.NotDead alive) {
                throw notDead(alive.run(), "is " + alive.run().state());
            }
            throw KnownRuns.unknown(id.toString());
        });
    }

    private CompletionStage<Reply> discard(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking(call, () -> {
            known.require(call, id);
            DiscardAnswer answer = context.engine().deadLetters().discard(id, call.actor(), reason(call));
            if (answer instanceof DiscardAnswer.Settled settled) {
                return Reply.ok(RunFacts.of(settled.letter().run()));
            }
            if (answer instanceof DiscardAnswer.NotDead alive) {
                throw notDead(alive.run(), "is " + alive.run().state());
            }
            throw KnownRuns.unknown(id.toString());
        });
    }

    private static Reply accepted(Run run) {
        return Reply.accepted(RunFacts.of(run))
                .header("Location", location(run))
                .retryAfter(ASK_AGAIN);
    }

    private static RuntimeException settled(DeadLetter letter) {
        return letter.settled()
                .map(done -> problem(letter.run(), "was " + done.kind() + " by " + done.actor())
                        .with("settled", done.kind().name()))
                .orElseGet(() -> problem(letter.run(), "is settled"));
    }

    private static RuntimeException notDead(Run run, String why) {
        return problem(run, why);
    }

    private static Problem problem(Run run, String why) {
        return Problem.of(ProblemCode.NOT_DEAD, "Run " + run.id() + " " + why + ".")
                .with("state", run.state().name());
    }

    private static String reason(Call call) {
        return call.body().getString("reason", "no reason given");
    }

    static String location(Run run) {
        return "/api/v1/runs/" + run.id();
    }

    /** The answer about a queued run. */
    static Reply waiting(Run run, Facts json) {
        return Reply.accepted(json).header("Location", location(run)).retryAfter(ASK_AGAIN);
    }

    static RuntimeException finished(Run run) {
        return Problem.of(ProblemCode.RUN_FINISHED, "Run " + run.id() + " ended as " + run.state() + ".")
                .with("state", run.state().name())
                .with("endedAt", TimeText.format(run.status().since()));
    }
}
