package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.KeyLine.HoldEstimate;
import io.interlock.run.Run;
import io.interlock.run.Wait;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Explains why a run waits. Changes nothing. */
public final class WaitRules {

    /** How many past runs of a key are used for estimates. */
    public static final int PAST = 20;

    private WaitRules() {}

    /**
     * Why a run waits on a settled key; empty if it does not wait.
     *
     * @param past how long the last successful runs of the key took, at most {@link #PAST}
     */
    public static Optional<Wait> explain(KeyState state, RunId id, List<Duration> past) {
        return state.run(id).filter(run -> run.state() == RunState.QUEUED).map(run -> {
            Run holder = state.holder().orElse(null);
            boolean alive =
                    state.lease().map(lease -> lease.isLive(state.now())).orElse(false);
            int position = state.position(run);
            return new Wait(
                    run,
                    position,
                    QueueRules.inTheWayOf(state, run),
                    holder,
                    holder != null && alive,
                    HoldEstimate.of(past, holder, state.now())
                            .untilStart(position)
                            .orElse(null),
                    state.now());
        });
    }
}
