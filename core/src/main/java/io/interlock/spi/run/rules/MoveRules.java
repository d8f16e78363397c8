package io.interlock.spi.run.rules;

import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.rules.KeyState.ChangeReason;
import java.util.List;
import java.util.Set;

/** Moves in a queue by hand. */
public final class MoveRules {

    private MoveRules() {}

    /**
     * Gives a waiting run the least priority with which it stands before all other ready runs of its key, however long these have
     * waited. A run that rests, because its delay is not over, is the first once it is ready. Nothing changes for a run that stands
     * there.
     */
    public static MoveAnswer toFront(KeyState state, MoveRequest request, Run known) {
        Run run = state.run(known.id()).orElse(null);
        if (run == null) {
            return new MoveAnswer.NotWaiting(state.latest(known));
        }
        if (run.state() != RunState.QUEUED) {
            return new MoveAnswer.NotWaiting(run);
        }
        List<Run> first = state.front(Set.of(run.id()), 1);
        if (first.isEmpty() || QueueRules.ORDER.compare(run, first.get(0)) < 0) {
            return new MoveAnswer.Moved(run);
        }
        // At the same place the lower number is the first.
        long behind = QueueRules.place(run)
                - QueueRules.place(first.get(0))
                - (run.number() < first.get(0).number() ? 1 : 0);
        long missing = behind / QueueRules.POINT + 1;
        int wanted = Math.toIntExact(run.spec().priority() + missing);
        Run moved = state.put(run.with(run.spec().priority(wanted)));
        state.note(
                moved,
                "moved-to-front",
                "priority " + run.spec().priority(),
                "priority " + wanted,
                new ChangeReason(request.actor(), request.reason()));
        return new MoveAnswer.Moved(moved);
    }
}
