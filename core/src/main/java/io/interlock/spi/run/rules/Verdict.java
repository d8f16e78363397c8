package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.Ending;
import io.interlock.run.Resource;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.StopRequest;
import io.interlock.run.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Ends runs, or sends them back into line. Leaves the lease to whoever calls it. */
final class Verdict {

    private Verdict() {}

    static Run fail(Room room, Run run, RunError error) {
        return end(room, run, RunState.FAILED, null, error, Why.rule(error.message()));
    }

    static Run abort(Room room, Run run, RunError error, Why why) {
        return end(room, run, RunState.ABORTED, null, error, why);
    }

    /** What the holder of a live lease says about its attempt. */
    static Run said(Room room, Run run, Ending ending, String actor) {
        if (ending instanceof Ending.Succeeded succeeded) {
            return end(room, run, RunState.SUCCEEDED, succeeded.result(), null, new Why(actor, "succeeded"));
        }
        if (ending instanceof Ending.Failed failed) {
            Why why = new Why(actor, failed.error().code());
            return failed.retryable()
                    ? again(room, run, failed.error(), failed.rest(), why)
                    : end(room, run, RunState.FAILED, null, failed.error(), why);
        }
        if (ending instanceof Ending.Aborted aborted) {
            return abort(
                    room, run, aborted.error(), new Why(actor, aborted.error().code()));
        }
        RunError error = ((Ending.TimedOut) ending).error();
        return end(room, run, RunState.TIMED_OUT, null, error, new Why(actor, error.code()));
    }

    /** The attempt is lost: nobody said how it ended. */
    static Run lost(Room room, Run run, Instant leaseEnd) {
        Instant deadline = deadline(run);
        if (deadline != null && !leaseEnd.isBefore(deadline)) {
            RunError error = new RunError(RunError.MAX_RUNTIME, "took longer than its max runtime" + stage(run));
            return end(room, run, RunState.TIMED_OUT, null, error, Why.rule(error.message()));
        }
        RunError error = new RunError(RunError.WORKER_TIMEOUT, "its lease ended before its work did" + stage(run));
        return again(room, run, error, null, Why.rule(error.message()));
    }

    /** From when on the lease of a run is no longer renewed, or {@code null} if it always is. */
    static @Nullable Instant deadline(Run run) {
        return run.status()
                .lastTurn()
                .flatMap(turn -> run.spec().limits().runtimeLimit().map(turn.startedAt()::plus))
                .orElse(null);
    }

    private static Run again(Room room, Run run, RunError error, @Nullable Duration rest, Why why) {
        RetryPlan plan = run.spec().retry();
        int attempts = run.status().attempts();
        StopRequest stop = run.status().stop();
        if (stop != null) {
            return abort(room, run, stop.error(), why);
        }
        if (!plan.allowsAnotherAfter(attempts)) {
            return end(room, run, plan.attempts() > 1 ? RunState.DEAD : RunState.FAILED, null, error, why);
        }
        log(room, run, RunState.QUEUED, error);
        Duration pause = rest == null ? plan.restAfter(attempts, room.facts().chance()) : rest;
        RunStatus resting = run.status().resting(room.now().plus(pause), error);
        if (resting.waiter() != null) {
            resting = resting.waiting(new Waiter(room.now(), false));
        }
        return room.move(run, resting, RunState.QUEUED, why);
    }

    private static Run end(
            Room room, Run run, RunState state, @Nullable String result, @Nullable RunError error, Why why) {
        if (run.state() == RunState.RUNNING) {
            log(room, run, state, error);
        }
        boolean owner = room.resource().flatMap(Resource::owningRun).equals(Optional.<RunId>of(run.id()));
        Run ended = room.move(run, run.status().ended(result, error), state, why);
        if (owner) {
            run.spec()
                    .transition()
                    .ifPresent(guard -> room.setResource(
                            guard, state == RunState.SUCCEEDED ? guard.success() : guard.failure(), ended, false, why));
        }
        return ended;
    }

    private static void log(Room room, Run run, RunState next, @Nullable RunError error) {
        run.status().lastTurn().ifPresent(turn -> room.log(new Attempt(run.id(), turn, room.now(), next, error)));
    }

    private static String stage(Run run) {
        int stages = run.status().stages().size();
        return stages == 0
                ? ""
                : ", at stage " + run.status().stages().get(stages - 1).name();
    }
}
