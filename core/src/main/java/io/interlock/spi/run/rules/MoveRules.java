package io.interlock.spi.run.rules;

import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.rules.KeyState.ChangeReason;
import java.util.Set;

/** Moves in a queue by hand. */
public final class MoveRules {

    private MoveRules() {}

    /**
     * Gives a waiting run a priority that no other ready run of its key reaches by waiting. A run that rests, because its delay is not
     * over, is the first once it is ready. Nothing changes for a run that has such a priority.
     */
    public static MoveAnswer toFront(KeyState state, MoveRequest request, Run known) {
        Run run = state.run(known.id()).orElse(null);
        if (run == null) {
            return new MoveAnswer.NotWaiting(state.latest(known));
        }
        if (run.state() != RunState.QUEUED) {
            return new MoveAnswer.NotWaiting(run);
        }
        int most = state.front(Set.of(run.id()), 1).stream()
                .mapToInt(first -> QueueRules.effectivePriority(first, state.now()))
                .findFirst()
                .orElse(Integer.MIN_VALUE);
        // Another one has at most the effective priority of the first now, and may gain as much as all may by waiting.
        long wanted = Math.min((long) most + QueueRules.MOST_AGEING + 1, RunSpec.MAX_MOVED);
        if (run.spec().priority() >= wanted) {
            return new MoveAnswer.Moved(run);
        }
        Run moved = state.put(run.withPriority((int) wanted));
        state.note(
                moved,
                "moved-to-front",
                "priority " + run.spec().priority(),
                "priority " + wanted,
                new ChangeReason(request.actor(), request.reason()));
        return new MoveAnswer.Moved(moved);
    }
}
