package io.interlock.spi.run.rules;

import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.run.Ending;
import io.interlock.run.FinishAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.StopRequest;
import io.interlock.spi.run.FinishRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ends an attempt, and lets the next in line have the key. */
public final class Finishing {

    private Finishing() {}

    /** Judges an ending. It counts only under a live lease; but whoever shows an old one says that it has stopped. */
    public static FinishAnswer finish(Room room, FinishRequest request, @Nullable Run known) {
        Run run = known == null ? null : room.latest(known);
        LeaseRow lease = room.lease()
                .filter(row -> row.isProvedBy(request.lease(), request.token()))
                .orElse(null);
        if (lease != null && !lease.isLive(room.now())) {
            stopped(room, lease);
            return new FinishAnswer.LeaseLost(cause(lease), run == null ? null : room.latest(run));
        }
        if (run == null || !isTurnOf(run, request)) {
            return new FinishAnswer.LeaseLost(LossCause.GONE, run);
        }
        if (run.state() != RunState.RUNNING || lease == null) {
            return repeated(run, request.ending());
        }
        Run ended = Verdict.said(room, run, request.ending(), lease.holder().label());
        room.setLease(null);
        Promotion.promote(room);
        return new FinishAnswer.Finished(room.latest(ended));
    }

    /** The holder of the key's lease, a run's or a bare one, says that it has stopped, and no more than that. */
    public static void stopped(Room room) {
        room.lease().ifPresent(lease -> stopped(room, lease));
    }

    static LossCause cause(LeaseRow lease) {
        return lease.eviction() != null ? LossCause.EVICTED : LossCause.EXPIRED;
    }

    private static void stopped(Room room, LeaseRow lease) {
        room.running().filter(room::hasLease).ifPresent(run -> Verdict.lost(room, run, lease.expiresAt()));
        room.setLease(null);
        Promotion.promote(room);
    }

    private static boolean isTurnOf(Run run, FinishRequest request) {
        return run.status()
                .lastTurn()
                .map(turn -> turn.isProvedBy(request.lease(), request.token()))
                .orElse(false);
    }

    private static FinishAnswer repeated(Run run, Ending ending) {
        return isWhatHappened(run, ending) ? new FinishAnswer.Finished(run) : new FinishAnswer.AlreadyFinished(run);
    }

    private static boolean isWhatHappened(Run run, Ending ending) {
        RunState state = run.state();
        RunError error = run.status().error();
        if (ending instanceof Ending.Succeeded succeeded) {
            return state == RunState.SUCCEEDED
                    && Objects.equals(succeeded.result(), run.status().result());
        }
        if (ending instanceof Ending.Failed failed) {
            // Back in line, failed or dead: whichever its attempts allowed. Or aborted, if it was asked to stop.
            StopRequest stop = run.status().stop();
            boolean stopped = failed.retryable()
                    && state == RunState.ABORTED
                    && stop != null
                    && stop.error().equals(error);
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
