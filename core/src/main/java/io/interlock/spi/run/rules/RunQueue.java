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
 * The runs that wait for one key, as the store had them before the step. A step asks for the front, for counts and for
 * what is due, never for all of them, so that its cost does not grow with the length of the queue.
 *
 * <p>Runs named in {@code except} are left out of every answer: the step has changed them already.
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
        public List<Run> front(Instant now, Set<RunId> except, int limit) {
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

    /** The waiting run called {@code id}. */
    Optional<Run> find(RunId id);

    /**
     * Up to {@code limit} runs that are {@linkplain QueueRules#isReady ready} at {@code now}, in the order of {@link
     * QueueRules#order}. A run whose rest is over may be missing until a step has looked at what is {@link #due}.
     */
    List<Run> front(Instant now, Set<RunId> except, int limit);

    /** Up to {@code limit} runs that are not ready, in the order of their numbers. */
    List<Run> resting(Set<RunId> except, int limit);

    /** Up to {@code limit} runs whose {@linkplain DueRules#ofWaiting own clocks} say something at {@code now}, the longest due first. */
    List<Run> due(Instant now, Set<RunId> except, int limit);

    /** All waiting runs of a job. The one question whose answer may be long: all of them are about to leave the queue. */
    List<Run> ofJob(JobName job, Set<RunId> except);

    /** How many runs stand before {@code run}, in the queue or about to join it: ready ones first, then those that rest. */
    int ahead(Run run, Instant now, Set<RunId> except);

    /** When the next run is {@link #due}, no later than that, or {@code null} if none will be. */
    @Nullable
    Instant nextDue(Set<RunId> except);
}
