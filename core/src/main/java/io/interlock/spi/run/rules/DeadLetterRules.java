package io.interlock.spi.run.rules;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunSpec.Origin;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.rules.KeyState.ChangeReason;
import org.jspecify.annotations.Nullable;

/** Settles dead letters. A dead run does not change; a redrive creates a new run. */
public final class DeadLetterRules {

    private DeadLetterRules() {}

    /**
     * Creates a new run for the work of a dead one, on the settled state of their key.
     *
     * @param known the run {@link RedriveRequest#dead()}
     * @param before its earlier disposition, or {@code null}
     * @param named the run {@link RedriveRequest#anew()}, under any key, or {@code null} if there is none
     */
    public static RedriveAnswer redrive(
            KeyState state,
            RedriveRequest request,
            Run known,
            DeadLetter.@Nullable Disposition before,
            @Nullable Run named) {
        Run dead = state.latest(known);
        if (dead.state() != RunState.DEAD) {
            return new RedriveAnswer.NotDead(dead);
        }
        if (dead.spec().execution() == Execution.CALLER) {
            return new RedriveAnswer.CallersWork(dead);
        }
        if (before != null) {
            DeadLetter letter = new DeadLetter(dead, before);
            return named != null && named.id().equals(before.successor())
                    ? new RedriveAnswer.Redriven(letter, state.latest(named))
                    : new RedriveAnswer.Settled(letter);
        }
        if (named != null) {
            throw new InvalidSettingException(
                    "new run", named.id(), "is the id of another run", "create a new id for every redrive");
        }
        return anew(state, request, dead);
    }

    /**
     * Settles a dead letter without a new run.
     *
     * @param known the run {@link DiscardRequest#dead()}
     * @param before its earlier disposition, or {@code null}
     */
    public static DiscardAnswer discard(
            KeyState state, DiscardRequest request, Run known, DeadLetter.@Nullable Disposition before) {
        Run dead = state.latest(known);
        if (dead.state() != RunState.DEAD) {
            return new DiscardAnswer.NotDead(dead);
        }
        if (before != null) {
            return new DiscardAnswer.Settled(new DeadLetter(dead, before));
        }
        return new DiscardAnswer.Settled(settle(
                state,
                dead,
                DeadLetter.Disposition.Kind.DISCARDED,
                new ChangeReason(request.actor(), request.reason()),
                null));
    }

    private static RedriveAnswer anew(KeyState state, RedriveRequest request, Run dead) {
        SubmitRequest again =
                new SubmitRequest(request.anew(), dead.key(), spec(dead, request), null, null, dead.line());
        SubmitAnswer answer = SubmitRules.submit(state, again);
        if (answer instanceof SubmitAnswer.Refused refused) {
            return new RedriveAnswer.Refused(new DeadLetter(dead, null), refused.refusal());
        }
        Run run = state.run(request.anew()).orElseThrow();
        ChangeReason why = new ChangeReason(request.actor(), request.reason());
        return new RedriveAnswer.Redriven(
                settle(state, dead, DeadLetter.Disposition.Kind.REDRIVEN, why, run.id()), run);
    }

    private static RunSpec spec(Run dead, RedriveRequest request) {
        Origin before = dead.spec().origin();
        Actor actor = request.actor();
        return dead.spec()
                .policy(ConflictPolicy.QUEUE)
                .priority(Math.min(dead.spec().priority(), RunSpec.MAX_PRIORITY))
                .origin(new Origin(
                        actor.name(),
                        request.reason(),
                        actor.correlation() == null ? before.correlation() : actor.correlation(),
                        before.trace(),
                        actor.address()));
    }

    private static DeadLetter settle(
            KeyState state, Run dead, DeadLetter.Disposition.Kind kind, ChangeReason why, @Nullable RunId successor) {
        DeadLetter letter = new DeadLetter(
                dead, new DeadLetter.Disposition(kind, why.actor().name(), why.reason(), state.now(), successor));
        state.settle(letter);
        state.note(
                dead,
                null,
                kind == DeadLetter.Disposition.Kind.REDRIVEN ? "redriven" : "discarded",
                dead.state().name(),
                successor == null ? "" : successor.toString(),
                why);
        return letter;
    }
}
