package io.interlock.spi.run.rules;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.Disposition;
import io.interlock.run.Execution;
import io.interlock.run.Origin;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import org.jspecify.annotations.Nullable;

/** What is done about dead letters. A dead run stays as it is; a new one does its work. */
public final class Redriving {

    private Redriving() {}

    /**
     * Lets a new run do the work of a dead one, in the settled room of their key.
     *
     * @param known the run called {@link RedriveRequest#dead()}
     * @param before what was done about it, or {@code null} if nothing was
     * @param named the run called {@link RedriveRequest#anew()}, of whatever key, or {@code null} if there is none
     */
    public static RedriveAnswer redrive(
            Room room, RedriveRequest request, Run known, @Nullable Disposition before, @Nullable Run named) {
        Run dead = room.latest(known);
        if (dead.state() != RunState.DEAD) {
            return new RedriveAnswer.NotDead(dead);
        }
        if (dead.spec().execution() == Execution.CALLER) {
            return new RedriveAnswer.CallersWork(dead);
        }
        if (before != null) {
            DeadLetter letter = new DeadLetter(dead, before);
            return named != null && named.id().equals(before.successor())
                    ? new RedriveAnswer.Redriven(letter, room.latest(named))
                    : new RedriveAnswer.Settled(letter);
        }
        if (named != null) {
            throw new InvalidSettingException(
                    "new run", named.id(), "is the name of another run", "make a fresh name for every redrive");
        }
        return anew(room, request, dead);
    }

    /**
     * Settles a dead letter without a new run.
     *
     * @param known the run called {@link DiscardRequest#dead()}
     * @param before what was done about it, or {@code null} if nothing was
     */
    public static DiscardAnswer discard(Room room, DiscardRequest request, Run known, @Nullable Disposition before) {
        Run dead = room.latest(known);
        if (dead.state() != RunState.DEAD) {
            return new DiscardAnswer.NotDead(dead);
        }
        if (before != null) {
            return new DiscardAnswer.Settled(new DeadLetter(dead, before));
        }
        return new DiscardAnswer.Settled(
                settle(room, dead, Disposition.Kind.DISCARDED, new Why(request.actor(), request.reason()), null));
    }

    private static RedriveAnswer anew(Room room, RedriveRequest request, Run dead) {
        SubmitRequest again =
                new SubmitRequest(request.anew(), dead.key(), spec(dead, request), null, null, dead.line());
        SubmitAnswer answer = Submission.submit(room, again);
        if (answer instanceof SubmitAnswer.Refused refused) {
            return new RedriveAnswer.Refused(new DeadLetter(dead, null), refused.refusal());
        }
        Run run = room.run(request.anew()).orElseThrow();
        Why why = new Why(request.actor(), request.reason());
        return new RedriveAnswer.Redriven(settle(room, dead, Disposition.Kind.REDRIVEN, why, run.id()), run);
    }

    private static RunSpec spec(Run dead, RedriveRequest request) {
        Origin before = dead.spec().origin();
        return dead.spec()
                .policy(ConflictPolicy.QUEUE)
                .origin(new Origin(request.actor(), request.reason(), before.correlation(), before.trace()));
    }

    private static DeadLetter settle(Room room, Run dead, Disposition.Kind kind, Why why, @Nullable RunId successor) {
        DeadLetter letter =
                new DeadLetter(dead, new Disposition(kind, why.actor(), why.reason(), room.now(), successor));
        room.settle(letter);
        room.note(new AuditRecord(
                0,
                room.now(),
                room.key(),
                dead.id(),
                null,
                why.actor(),
                kind == Disposition.Kind.REDRIVEN ? "redriven" : "discarded",
                dead.state().name(),
                successor == null ? "" : successor.toString(),
                why.reason(),
                dead.spec().origin().correlation()));
        return letter;
    }
}
