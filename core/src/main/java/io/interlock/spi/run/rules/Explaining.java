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

/** Says why somebody waits. Changes nothing. */
public final class Explaining {

    /** How many past runs of a key tell how long the next ones take. */
    public static final int PAST = 20;

    private Explaining() {}

    /**
     * Why a run waits in a settled room; empty if it does not wait in line.
     *
     * @param past how long the last successful runs of the key took, at most {@link #PAST}
     */
    public static Optional<Wait> explain(Room room, RunId id, List<Duration> past) {
        return room.run(id).filter(run -> run.state() == RunState.QUEUED).map(run -> {
            Run holder = room.running().filter(room::hasLease).orElse(null);
            boolean alive = room.lease().map(lease -> lease.isLive(room.now())).orElse(false);
            int position = Line.position(room, run);
            return new Wait(
                    run,
                    position,
                    Line.inTheWayOf(room, run),
                    holder,
                    holder != null && alive,
                    expected(room, holder, position, past),
                    room.now());
        });
    }

    // Those before it take the median each; the holder has had a part of its own already.
    private static @Nullable Duration expected(Room room, @Nullable Run holder, int position, List<Duration> past) {
        if (past.isEmpty()) {
            return null;
        }
        Duration median =
                past.stream().sorted().skip(past.size() / 2).findFirst().orElseThrow();
        Duration before = median.multipliedBy(position - 1L);
        if (holder == null) {
            return before;
        }
        Instant since = holder.status().lastTurn().map(Turn::startedAt).orElse(room.now());
        Duration left = median.minus(Duration.between(since, room.now()));
        return left.isNegative() ? before : before.plus(left);
    }
}
