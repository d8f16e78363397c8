package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.run.DeadLetter;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.Run;

/** What came of dealing with dead letters. */
final class DeadLetterResults {

    private DeadLetterResults() {}

    static Facts redriven(RedriveAnswer answer, String id) {
        if (answer instanceof RedriveAnswer.Redriven redriven) {
            return RunFacts.of(redriven.run());
        }
        if (answer instanceof RedriveAnswer.Refused refused) {
            throw new Failure(
                    ExitCode.BUSY, refused.refusal().code(), refused.refusal().explanation(), "try again later");
        }
        if (answer instanceof RedriveAnswer.Settled settled) {
            throw settled(settled.letter(), id);
        }
        if (answer instanceof RedriveAnswer.CallersWork) {
            throw new Failure(
                    ExitCode.FAILED,
                    "run " + id + " was done by its caller, and no worker can do it",
                    "run it again yourself");
        }
        throw answer instanceof RedriveAnswer.NotDead alive ? notDead(alive.run(), id) : unknown(id);
    }

    static Facts discarded(DiscardAnswer answer, String id) {
        if (answer instanceof DiscardAnswer.Settled settled) {
            return RunFacts.of(settled.letter().run());
        }
        throw answer instanceof DiscardAnswer.NotDead alive ? notDead(alive.run(), id) : unknown(id);
    }

    private static Failure settled(DeadLetter letter, String id) {
        return new Failure(
                ExitCode.STALE,
                "dead letter " + id + " is settled"
                        + letter.settled()
                                .map(done -> ": " + done.actor() + " " + done.kind() + " it, " + done.reason())
                                .orElse(""),
                "there is nothing to do");
    }

    private static Failure notDead(Run run, String id) {
        return new Failure(
                ExitCode.STALE,
                "run " + id + " is no dead letter but " + run.state(),
                "interlock dead ls shows those there are");
    }

    private static Failure unknown(String id) {
        return Failure.unknown("there is no run called '" + id + "'", "interlock dead ls shows those there are");
    }
}
