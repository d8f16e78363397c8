package io.interlock.engine.notify;

import io.interlock.run.Run;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The longest dead of many runs, about {@link #MOST} of them. Those of one moment stay together: a bookmark can only stand
 * before or after all of them. Belongs to one thread.
 */
final class OldestDead {

    static final int MOST = 100;

    private final PriorityQueue<Run> runs =
            new PriorityQueue<>(Comparator.comparingLong(OldestDead::died).reversed());
    private final long after;
    private long until;

    /** Of those that died after one moment, and not after another. */
    OldestDead(long after, long until) {
        this.after = after;
        this.until = until;
    }

    void add(Run run) {
        if (died(run) <= after || died(run) > until) {
            return;
        }
        runs.add(run);
        long youngest = died(runs.element());
        if (runs.size() > MOST && runs.stream().anyMatch(other -> died(other) != youngest)) {
            // Nobody of that moment or a later one comes in any more.
            until = youngest - 1;
            runs.removeIf(other -> died(other) == youngest);
        }
    }

    /** The longest dead first. */
    List<Run> inOrder() {
        return runs.stream()
                .sorted(Comparator.comparingLong(OldestDead::died).thenComparingLong(Run::number))
                .toList();
    }

    static long died(Run run) {
        return micros(run.status().since());
    }

    static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
