package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.Ending;
import io.interlock.run.Resource;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.run.rules.KeyState.ChangeReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Ends runs, or queues them again. The caller handles the lease. */
final class AttemptRules {

    private AttemptRules() {}

    static Run fail(KeyState state, Run run, RunError error) {
        return end(state, run, RunState.FAILED, null, error, ChangeReason.rule(error.message()));
    }

    static Run abort(KeyState state, Run run, RunError error, ChangeReason why) {
        return end(state, run, RunState.ABORTED, null, error, why);
    }

    /** Applies the outcome reported by the holder of a live lease. */
    static Run said(KeyState state, Run run, Ending ending, String actor) {
        if (ending instanceof Ending.Succeeded succeeded) {
            return end(state, run, RunState.SUCCEEDED, succeeded.result(), null, new ChangeReason(actor, "succeeded"));
        }
        if (ending instanceof Ending.Failed failed) {
            ChangeReason why = new ChangeReason(actor, failed.error().code());
            return failed.retryable()
                    ? again(state, run, failed.error(), failed.rest(), why)
                    : end(state, run, RunState.FAILED, null, failed.error(), why);
        }
        if (ending instanceof Ending.Aborted aborted) {
            return abort(
                    state,
                    run,
                    aborted.error(),
                    new ChangeReason(actor, aborted.error().code()));
        }
        RunError error = ((Ending.TimedOut) ending).error();
        return end(state, run, RunState.TIMED_OUT, null, error, new ChangeReason(actor, error.code()));
    }

    /**
     * The attempt is lost: its lease ended without a finish. It counts as too slow only if its worker was alive at the
     * end of its max runtime and was told so; otherwise the worker counts as dead and the run may be retried.
     */
    static Run lost(KeyState state, Run run) {
        if (isOutOfTime(run)) {
            return timedOut(state, run, ChangeReason.rule("took longer than its max runtime" + stage(run)));
        }
        RunError error = new RunError(RunError.WORKER_TIMEOUT, "its lease ended before its work did" + stage(run));
        return again(state, run, error, null, ChangeReason.rule(error.message()));
    }

    /** Records that the worker of a run was alive when its max runtime was over. */
    static void markOutOfTime(KeyState state, Run run) {
        StopRequest stop =
                new StopRequest(RunError.MAX_RUNTIME, AuditRecord.RULES, "its max runtime is over", state.now());
        StopRules.request(state, run, stop, ChangeReason.rule(stop.reason()));
    }

    private static boolean isOutOfTime(Run run) {
        StopRequest stop = run.status().stop();
        return stop != null && stop.code().equals(RunError.MAX_RUNTIME);
    }

    private static Run timedOut(KeyState state, Run run, ChangeReason why) {
        RunError error = new RunError(RunError.MAX_RUNTIME, "took longer than its max runtime" + stage(run));
        return end(state, run, RunState.TIMED_OUT, null, error, why);
    }

    /** When renewals of a run's lease end, or {@code null} if never. */
    static @Nullable Instant deadline(Run run) {
        return run.status()
                .lastTurn()
                .flatMap(turn -> run.spec().limits().runtimeLimit().map(turn.startedAt()::plus))
                .orElse(null);
    }

    private static Run again(KeyState state, Run run, RunError error, @Nullable Duration rest, ChangeReason why) {
        RetryPlan plan = run.spec().retry();
        int attempts = run.status().attempts();
        StopRequest stop = run.status().stop();
        if (isOutOfTime(run)) {
            return timedOut(state, run, why);
        }
        if (stop != null) {
            return abort(state, run, stop.error(), why);
        }
        if (!plan.allowsAnotherAfter(attempts)) {
            return end(state, run, plan.attempts() > 1 ? RunState.DEAD : RunState.FAILED, null, error, why);
        }
        log(state, run, RunState.QUEUED, error);
        Duration pause = rest == null ? plan.restAfter(attempts, state.context().chance()) : rest;
        RunStatus resting = run.status().resting(state.now().plus(pause), error);
        if (resting.waiter() != null) {
            resting = resting.waiting(new Waiter(state.now(), false));
        }
        return state.move(run, resting, RunState.QUEUED, why);
    }

    private static Run end(
            KeyState state, Run run, RunState to, @Nullable String result, @Nullable RunError error, ChangeReason why) {
        if (run.state() == RunState.RUNNING) {
            log(state, run, to, error);
        }
        boolean owner = state.resource().flatMap(Resource::owningRun).equals(Optional.<RunId>of(run.id()));
        Run ended = state.move(run, run.status().ended(result, error), to, why);
        if (owner) {
            run.spec().transition().ifPresent(guard -> state.settleResource(guard, ended, why));
        }
        return ended;
    }

    private static void log(KeyState state, Run run, RunState next, @Nullable RunError error) {
        run.status().lastTurn().ifPresent(turn -> state.log(new Attempt(run.id(), turn, state.now(), next, error)));
    }

    private static String stage(Run run) {
        int stages = run.status().stages().size();
        return stages == 0
                ? ""
                : ", at stage " + run.status().stages().get(stages - 1).name();
    }
}
