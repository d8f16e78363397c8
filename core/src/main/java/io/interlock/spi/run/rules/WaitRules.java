package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.Turn;
import io.interlock.run.Wait;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
            Run holder = state.running().filter(state::hasLease).orElse(null);
            boolean alive =
                    state.lease().map(lease -> lease.isLive(state.now())).orElse(false);
            int position = state.position(run);
            return new Wait(
                    run,
                    position,
                    QueueRules.inTheWayOf(state, run),
                    holder,
                    holder != null && alive,
                    expected(state, holder, position, past),
                    state.now());
        });
    }

    // The runs ahead take the median each; the elapsed time of the holder is subtracted.
    private static @Nullable Duration expected(
            KeyState state, @Nullable Run holder, int position, List<Duration> past) {
        if (past.isEmpty()) {
            return null;
        }
        Duration median =
                past.stream().sorted().skip(past.size() / 2).findFirst().orElseThrow();
        Duration before = median.multipliedBy(position - 1L);
        if (holder == null) {
            return before;
        }
        Instant since = holder.status().lastTurn().map(Turn::startedAt).orElse(state.now());
        Duration left = median.minus(Duration.between(since, state.now()));
        return left.isNegative() ? before : before.plus(left);
    }
}
