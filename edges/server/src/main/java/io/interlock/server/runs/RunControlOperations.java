package io.interlock.server.runs;

import io.interlock.RunId;
import io.interlock.run.CancelAnswer;
import io.interlock.run.DeadLetter;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.Run;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.RunJson;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.server.problem.Refusals;
import java.util.concurrent.CompletionStage;

/** What people want done with runs: {@code cancelRun}, {@code redriveRun}, {@code discardRun}. */
final class RunControlOperations {

    private final OperationContext context;
    private final KnownRuns known;

    RunControlOperations(OperationContext context, KnownRuns known) {
        this.context = context;
        this.known = known;
    }

    CompletionStage<Reply> cancel(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking().call(call.tenant(), () -> {
            known.require(call, id);
            CancelAnswer answer = context.engine().cancel(id, call.actor(), reason(call));
            if (answer instanceof CancelAnswer.Over over) {
                throw RunOperations.finished(over.run());
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

    CompletionStage<Reply> redrive(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking().call(call.tenant(), () -> {
            known.require(call, id);
            RedriveAnswer answer = context.engine().deadLetters().redrive(id, call.actor(), reason(call));
            if (answer instanceof RedriveAnswer.Redriven redriven) {
                return accepted(redriven.run());
            }
            if (answer instanceof RedriveAnswer.Refused refused) {
                throw Refusals.of(refused.refusal(), null).thrown();
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

    CompletionStage<Reply> discard(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking().call(call.tenant(), () -> {
            known.require(call, id);
            DiscardAnswer answer = context.engine().deadLetters().discard(id, call.actor(), reason(call));
            if (answer instanceof DiscardAnswer.Settled settled) {
                return Reply.ok(RunJson.of(settled.letter().run()));
            }
            if (answer instanceof DiscardAnswer.NotDead alive) {
                throw notDead(alive.run(), "is " + alive.run().state());
            }
            throw KnownRuns.unknown(id.toString());
        });
    }

    private static Reply accepted(Run run) {
        return Reply.accepted(RunJson.of(run))
                .header("Location", RunOperations.location(run))
                .retryAfter(RunOperations.ASK_AGAIN);
    }

    private static RuntimeException settled(DeadLetter letter) {
        return letter.settled()
                .map(done -> problem(letter.run(), "was " + done.kind() + " by " + done.actor())
                        .with("settled", done.kind().name()))
                .orElseGet(() -> problem(letter.run(), "is settled"))
                .thrown();
    }

    private static RuntimeException notDead(Run run, String why) {
        return problem(run, why).thrown();
    }

    private static Problem problem(Run run, String why) {
        return Problem.of(ProblemCode.NOT_DEAD, "Run " + run.id() + " " + why + ".")
                .with("state", run.state().name());
    }

    private static String reason(Call call) {
        return call.body().getString("reason", "no reason given");
    }
}
