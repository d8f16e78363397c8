package io.interlock.spi.run.rules;

import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.KeyState.ChangeReason;
import java.util.Optional;

/** Gives a free key to the first run in the queue. */
final class Promotion {

    private Promotion() {}

    /** Reserves the key for the next run in the queue, if it is free and a run may start. */
    static void promote(KeyState state) {
        Optional<Run> next = next(state);
        if (next.isEmpty()) {
            return;
        }
        Run run = next.get();
        if (run.spec().execution() == Execution.CALLER) {
            state.setLease(null);
            state.setReservation(
                    new Reservation(run.id(), state.now(), state.now().plus(Reservation.OFFER)));
        } else {
            Run pending = state.move(run, run.status(), RunState.PENDING, ChangeReason.rule("its key is free"));
            keepFor(state, pending);
        }
    }

    /** Reserves the key for a new run. */
    static Run reserve(KeyState state, Run newcomer) {
        Run pending = state.moveSilently(newcomer, newcomer.status(), RunState.PENDING);
        keepFor(state, pending);
        return pending;
    }

    /**
     * The next run, if the key is free. Runs that the state of the resource forbids end here, at most
     * {@link Settlement#MOST_RUNS} in one step.
     */
    static Optional<Run> next(KeyState state) {
        if (state.queueSize() == 0) {
            return Optional.empty();
        }
        for (int ended = 0; QueueRules.closed(state) == null; ended++) {
            Optional<Run> first = QueueRules.first(state);
            if (first.isEmpty()) {
                return first;
            }
            RunRefusal.WrongState wrong = QueueRules.wrongState(state, first.get());
            if (wrong == null) {
                return first;
            }
            if (ended == Settlement.MOST_RUNS) {
                state.leaveUnfinished();
                return Optional.empty();
            }
            AttemptRules.fail(state, first.get(), new RunError(RunError.WRONG_STATE, wrong.explanation()));
        }
        return Optional.empty();
    }

    static Run start(KeyState state, Run run, SubmitRequest.Caller holder) {
        return state.grant(run, holder, state.nextToken());
    }

    private static void keepFor(KeyState state, Run run) {
        state.setLease(null);
        state.setReservation(new Reservation(run.id(), state.now(), null));
    }
}
