package io.interlock;

import io.interlock.run.JobName;
import io.interlock.run.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;

/** Why a key was not granted although it has no holder: runs, a pause or a limit prevented it. */
public sealed interface RunRefusal extends Refusal {

    /** The key is reserved for a run that has not started yet. */
    record Reserved(LockKey key, RunId run, JobName job, Instant since, Instant observedAt) implements RunRefusal {
        @Override
        public String explanation() {
            return key + " is reserved for run " + run + " of job " + job + ", which has had its turn for "
                    + DurationText.format(Duration.between(since, observedAt)) + " and has not started yet";
        }
    }

    /** An operator or a maintenance window stopped grants of the key. */
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
            if (pause.isWindow()) {
                return key + " is in a " + pause.actor()
                        + pause.end()
                                .map(end -> " until " + TimeText.format(end))
                                .orElse("") + " (" + pause.reason()
                        + ")";
            }
            return key + " is paused by " + pause.actor() + " (" + pause.reason() + ")"
                    + pause.end()
                            .map(end -> " for another " + DurationText.format(Duration.between(observedAt, end)))
                            .orElse(" until it is resumed");
        }
    }

    /** A waiting run comes first. */
    record QueuedAhead(LockKey key, RunId first, JobName job, int waiting) implements RunRefusal {
        @Override
        public String explanation() {
            return key + " is for the " + waiting + " runs in line, first run " + first + " of job " + job;
        }
    }

    /** The queue is full. */
    record QueueFull(LockKey key, int waiting, int cap) implements RunRefusal {
        @Override
        public String code() {
            return "queue-full";
        }

        @Override
        public String explanation() {
            return "the queue of " + key + " is full: " + waiting + " runs wait, and no more than " + cap
                    + " are allowed";
        }
    }

    /** The tenant has reached its limit of running runs. */
    record TenantBusy(LockKey key, int running, int limit) implements RunRefusal {
        @Override
        public String code() {
            return "tenant-busy";
        }

        @Override
        public String explanation() {
            return key + " cannot start: tenant " + key.tenant() + " has " + running
                    + " running runs, and no more than " + limit + " are allowed";
        }
    }

    /**
     * The resource of the key is not in a state the job may start from.
     *
     * @param allowed the states from which the job may start
     */
    record WrongState(LockKey key, String state, Set<String> allowed) implements RunRefusal {
        public WrongState {
            allowed = Set.copyOf(allowed);
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
