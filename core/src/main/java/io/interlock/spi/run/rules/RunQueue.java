package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The runs that wait for one key, as stored before the step. A step queries the front, counts and due runs, never all
 * of them, so that its cost does not grow with the length of the queue.
 *
 * <p>Runs in {@code except} are excluded from every answer: the step has already changed them.
 */
public interface RunQueue {

    /** A queue without runs. */
    RunQueue EMPTY = new RunQueue() {
        @Override
        public int size() {
            return 0;
        }

        @Override
        public Optional<Run> find(RunId id) {
            return Optional.empty();
        }

        @Override
        public List<Run> front(Set<RunId> except, int limit) {
            return List.of();
        }

        @Override
        public List<Run> resting(Set<RunId> except, int limit) {
            return List.of();
        }

        @Override
        public List<Run> due(Instant now, Set<RunId> except, int limit) {
            return List.of();
        }

        @Override
        public List<Run> ofJob(JobName job, Set<RunId> except) {
            return List.of();
        }

        @Override
        public int ahead(Run run, Instant now, Set<RunId> except) {
            return 0;
        }

        @Override
        public @Nullable Instant nextDue(Set<RunId> except) {
            return null;
        }
    };

    /** How many runs wait. */
    int size();

    /** The waiting run with {@code id}. */
    Optional<Run> find(RunId id);

    /**
     * Up to {@code limit} {@linkplain QueueRules#isReady ready} runs, in the order of {@link QueueRules#ORDER}. A run whose delay is
     * over is missing until a step has processed the {@link #due} runs.
     */
    List<Run> front(Set<RunId> except, int limit);

    /** Up to {@code limit} runs that are not ready, in the same order. */
    List<Run> resting(Set<RunId> except, int limit);

    /**
     * Up to {@code limit} runs whose {@linkplain DueRules#ofWaiting own clocks} are due at {@code now}, the longest due
     * first.
     */
    List<Run> due(Instant now, Set<RunId> except, int limit);

    /** All waiting runs of a job. This is the only query with a long result: all of them are about to leave the queue. */
    List<Run> ofJob(JobName job, Set<RunId> except);

    /**
     * How many runs are ahead of {@code run}, which is in the queue or about to join it: ready ones first, then those
     * with a delay.
     */
    int ahead(Run run, Instant now, Set<RunId> except);

    /** When the next run is {@link #due}, or earlier; {@code null} if none will be. */
    @Nullable
    Instant nextDue(Set<RunId> except);
}
