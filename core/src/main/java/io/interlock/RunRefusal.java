package io.interlock;

import io.interlock.run.JobName;
import io.interlock.run.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;

/** Why a key was not granted although nobody holds it: something about runs stood in the way. */
public sealed interface RunRefusal extends Refusal {

    /**
     * The key is kept for a run that has its turn and has not started yet.
     *
     * @param key the key
     * @param run the run it is kept for
     * @param job what that run does
     * @param since since when it is kept
     * @param observedAt the store's time
     */
    record Reserved(LockKey key, RunId run, JobName job, Instant since, Instant observedAt) implements RunRefusal {
        @Override
        public Duration retryAfter() {
            return Duration.ZERO;
        }

        @Override
        public String explanation() {
            return key + " is kept for run " + run + " of job " + job + ", which has had its turn for "
                    + DurationText.format(Duration.between(since, observedAt)) + " and has not started yet";
        }
    }

    /**
     * An operator stopped grants of the key.
     *
     * @param key the key
     * @param pause who did it, why and until when
     * @param observedAt the store's time
     */
    record Paused(LockKey key, Pause pause, Instant observedAt) implements RunRefusal {
        @Override
        public Duration retryAfter() {
            return pause.end().map(end -> Duration.between(observedAt, end)).orElse(Duration.ZERO);
        }

        @Override
        public String code() {
            return "key-paused";
        }

        @Override
        public String explanation() {
            return key + " is paused by " + pause.actor() + " (" + pause.reason() + ")"
                    + pause.end()
                            .map(end -> " for another " + DurationText.format(Duration.between(observedAt, end)))
                            .orElse(" until somebody resumes it");
        }
    }

    /**
     * Somebody in line comes first.
     *
     * @param key the key
     * @param first the run that comes next
     * @param job what that run does
     * @param waiting how many wait in line
     */
    record QueuedAhead(LockKey key, RunId first, JobName job, int waiting) implements RunRefusal {
        @Override
        public Duration retryAfter() {
            return Duration.ZERO;
        }

        @Override
        public String explanation() {
            return key + " is for the " + waiting + " in line, first run " + first + " of job " + job;
        }
    }

    /**
     * The line is as long as it may be.
     *
     * @param key the key
     * @param waiting how many wait in line
     * @param cap how many may
     */
    record QueueFull(LockKey key, int waiting, int cap) implements RunRefusal {
        @Override
        public Duration retryAfter() {
            return Duration.ZERO;
        }

        @Override
        public String code() {
            return "queue-full";
        }

        @Override
        public String explanation() {
            return "the line of " + key + " is full: " + waiting + " wait, and no more than " + cap + " may";
        }
    }

    /**
     * The tenant has as many runs under way as it may.
     *
     * @param key the key, whose tenant it is
     * @param running how many are under way
     * @param limit how many may be
     */
    record TenantBusy(LockKey key, int running, int limit) implements RunRefusal {
        @Override
        public Duration retryAfter() {
            return Duration.ZERO;
        }

        @Override
        public String code() {
            return "tenant-busy";
        }

        @Override
        public String explanation() {
            return key + " cannot start: tenant " + key.tenant() + " has " + running
                    + " runs under way, and no more than " + limit + " may be";
        }
    }

    /**
     * The resource of the key is not in a state the job may start from.
     *
     * @param key the key
     * @param state where the resource stands
     * @param allowed where the job may start
     */
    record WrongState(LockKey key, String state, Set<String> allowed) implements RunRefusal {
        /** Copies the states. */
        public WrongState {
            allowed = Set.copyOf(allowed);
        }

        @Override
        public Duration retryAfter() {
            return Duration.ZERO;
        }

        @Override
        public String code() {
            return "wrong-state";
        }

        @Override
        public String explanation() {
            return "the resource of " + key + " is in state " + state + "; the job starts only from "
                    + String.join(", ", new TreeSet<>(allowed));
        }
    }
}
