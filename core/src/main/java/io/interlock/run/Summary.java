package io.interlock.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What goes on in one tenant, all of one moment.
 *
 * @param at the store's time
 * @param locks how many keys in use are in each state; a key that is paused by its own name counts as paused also while it is idle, as
 *     lists show it
 * @param runs how many runs have not ended, and how many dead letters are open, by job and state
 * @param failures what failed since {@link #failuresSince}, by job and error, the most frequent first
 * @param failed how many runs failed since then, also of groups that are not listed
 * @param failuresSince the beginning of that time
 * @param overdue the first keys that are overdue, by name
 * @param hot the keys that most runs wait for, the most first
 * @param longestWait the key that a run has waited for longest, or {@code null} if none waits
 * @param next the run that starts next there, or {@code null}
 */
public record Summary(
        Instant at,
        Map<KeyView.KeyStatus, Long> locks,
        List<RunCount> runs,
        List<Failures> failures,
        long failed,
        Instant failuresSince,
        List<KeyView> overdue,
        List<KeyView> hot,
        @Nullable KeyView longestWait,
        @Nullable Run next) {

    /** How long ago failures are counted from. */
    public static final Duration FAILURES = Duration.ofHours(1);

    /** How many keys are listed of each kind. */
    public static final int LISTED = 10;

    /** How many groups of failures are listed. */
    public static final int GROUPS = 100;

    /**
     * Runs of one job that ended in the same way.
     *
     * @param code the code of their error
     * @param last when the last of them ended
     * @param sample the last submitted of them
     * @param key its key
     */
    public record Failures(
            JobName job, RunState state, String code, long count, Instant last, RunId sample, LockKey key) {}

    /** How many keys are in {@code state}. */
    public long locks(KeyView.KeyStatus state) {
        return locks.getOrDefault(state, 0L);
    }

    /** How many runs are in {@code state}. */
    public long runs(RunState state) {
        return runs.stream()
                .filter(count -> count.state() == state)
                .mapToLong(RunCount::count)
                .sum();
    }

    /**
     * How many runs of one job of one tenant are in one state.
     *
     * @param state QUEUED, PENDING or RUNNING; or DEAD, for open dead letters
     * @param oldest since when the oldest of them is in that state
     */
    public record RunCount(String tenant, JobName job, RunState state, long count, Instant oldest) {}

    /**
     * Runs that have not ended.
     *
     * @param payload the total size of their parameters, in bytes
     */
    public record OpenRuns(long count, long payload) {

        /** The size of the parameters of {@code spec}, in bytes. */
        public static int payload(RunSpec spec) {
            return spec.parameters().getBytes(StandardCharsets.UTF_8).length;
        }
    }
}
