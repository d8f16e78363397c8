package io.interlock.spi.run.rules;

import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Ends an attempt, and gives the key to the next run in the queue. */
public final class FinishRules {

    private FinishRules() {}

    /**
     * Applies a finish. Its outcome counts only under a live lease; otherwise it only shows that the work has stopped.
     */
    public static FinishAnswer finish(KeyState state, FinishRequest request, @Nullable Run known) {
        Run run = known == null ? null : state.latest(known);
        LeaseRow lease = state.lease()
                .filter(row -> row.isProvedBy(request.lease(), request.token()))
                .orElse(null);
        if (lease != null && !lease.isLive(state.now())) {
            stopped(state);
            return new FinishAnswer.LeaseLost(lease.lossCause(), run == null ? null : state.latest(run));
        }
        if (run == null || !run.status().isProvedBy(request.lease(), request.token())) {
            return new FinishAnswer.LeaseLost(LossCause.GONE, run);
        }
        if (run.state() != RunState.RUNNING || lease == null) {
            return repeated(state, run, request);
        }
        Run ended =
                AttemptRules.said(state, run, request.ending(), lease.holder().label());
        state.setLease(null);
        Optional<Claimed> next = ClaimRules.claimNext(state, ended, request.next());
        if (next.isEmpty()) {
            Promotion.promote(state);
        }
        return new FinishAnswer.Finished(state.latest(ended), next.orElse(null));
    }

    /** The holder of the key's lease, a run's or a bare one, reports only that its work has stopped. */
    public static void stopped(KeyState state) {
        if (state.lease().isEmpty()) {
            return;
        }
        state.holder().ifPresent(run -> AttemptRules.lost(state, run));
        state.setLease(null);
        Promotion.promote(state);
    }

    private static FinishAnswer repeated(KeyState state, Run run, FinishRequest request) {
        if (!isWhatHappened(run, request.ending())) {
            return new FinishAnswer.AlreadyFinished(run);
        }
        ClaimRequest next = request.next();
        return new FinishAnswer.Finished(
                run, next == null ? null : ClaimRules.claimedBefore(state, next).orElse(null));
    }

    private static boolean isWhatHappened(Run run, Ending ending) {
        RunState state = run.state();
        RunError error = run.status().error();
        if (ending instanceof Ending.Succeeded succeeded) {
            return state == RunState.SUCCEEDED
                    && Objects.equals(succeeded.result(), run.status().result());
        }
        if (ending instanceof Ending.Failed failed) {
            // Queued again, failed or dead, depending on its attempts; aborted after a stop request.
            StopRequest stop = run.status().stop();
            boolean stopped = failed.retryable()
                    && stop != null
                    && (stop.code().equals(RunError.MAX_RUNTIME)
                            ? state == RunState.TIMED_OUT
                            : state == RunState.ABORTED && stop.error().equals(error));
            return stopped
                    || (state != RunState.SUCCEEDED
                            && state != RunState.TIMED_OUT
                            && failed.error().equals(error));
        }
        if (ending instanceof Ending.Aborted aborted) {
            return state == RunState.ABORTED && aborted.error().equals(error);
        }
        return state == RunState.TIMED_OUT && ((Ending.TimedOut) ending).error().equals(error);
    }
}
