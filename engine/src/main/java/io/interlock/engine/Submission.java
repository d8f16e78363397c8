package io.interlock.engine;

import io.interlock.InterlockException;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RefusedException;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.run.Run;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What came of a {@link RunRequest}. Whatever did not start says in one sentence why, and who stands in the way. */
public sealed interface Submission {

    default LockKey key() {
        return orElseThrow().key();
    }

    /** The run that will be, or is, or was: the caller's own or, if it joined or repeated, an earlier one. */
    Optional<Run> run();

    /** The run in the way, if it is a run that is. */
    default Optional<RunId> incumbent() {
        return Optional.empty();
    }

    /** What happened, in one sentence. */
    String explanation();

    /** Whether there is a run that does what was asked for. */
    default boolean isAccepted() {
        return run().isPresent();
    }

    /**
     * The run that does what was asked for.
     *
     * @throws RefusedException if there is none
     */
    default Run orElseThrow() {
        return run().orElseThrow();
    }

    /**
     * The key is the run's: kept for a worker, or already held by the caller.
     *
     * @param lease the caller's lease, or {@code null} if a worker does the work
     * @param work the caller's work, which the engine keeps alive, or {@code null} if a worker does the work, or the caller
     *     is {@linkplain RemoteWork somewhere else}
     */
    record Started(
            Run started,
            @Nullable LeaseRecord lease,
            @Nullable CallerRun work) implements Submission {
        @Override
        public Optional<Run> run() {
            return Optional.of(started);
        }

        @Override
        public String explanation() {
            return "run " + started.id() + " of job " + started.job() + " has " + key()
                    + (lease == null ? " and waits for a worker" : " with token " + lease.token());
        }
    }

    /** A run that was there before does what was asked for. */
    record Joined(Run joined) implements Submission {
        @Override
        public Optional<Run> run() {
            return Optional.of(joined);
        }

        @Override
        public Optional<RunId> incumbent() {
            return Optional.of(joined.id());
        }

        @Override
        public String explanation() {
            return "joined run " + joined.id() + " of job " + joined.job() + ", which is " + joined.state() + " under "
                    + key();
        }
    }

    /**
     * It waits in the queue; {@link RunEngine#explain} says for whom, and for how long.
     *
     * @param position its place, from 1; 0 if its turn came at once and it could not start, as its state says
     * @param turn the caller's place in the queue, or {@code null} if a worker does the work, or the caller is somewhere else
     */
    record Queued(Run queued, int position, @Nullable CallerTurn turn) implements Submission {
        @Override
        public Optional<Run> run() {
            return Optional.of(queued);
        }

        @Override
        public String explanation() {
            return "run " + queued.id() + " of job " + queued.job()
                    + (position > 0
                            ? " is number " + position + " in line for " + key()
                            : " had its turn at once under " + key() + " and is " + queued.state());
        }
    }

    /** Nothing runs for this request. */
    sealed interface Refused extends Submission {

        Refusal refusal();

        @Override
        default LockKey key() {
            return refusal().key();
        }

        @Override
        default Optional<Run> run() {
            return Optional.empty();
        }

        @Override
        default Optional<RunId> incumbent() {
            Refusal refusal = refusal();
            if (refusal instanceof Refusal.Held held) {
                return held.current().holder().runId();
            }
            if (refusal instanceof Refusal.Delayed delayed) {
                return delayed.ended().holder().runId();
            }
            if (refusal instanceof RunRefusal.Reserved reserved) {
                return Optional.of(reserved.run());
            }
            return refusal instanceof RunRefusal.QueuedAhead ahead ? Optional.of(ahead.first()) : Optional.empty();
        }

        @Override
        default String explanation() {
            return refusal().explanation();
        }

        @Override
        default Run orElseThrow() {
            throw new RefusedException(refusal());
        }
    }

    /** It does not run, and that is no error. */
    record Skipped(Refusal refusal) implements Refused {}

    /** It does not run, and the caller wanted it to. */
    record Rejected(Refusal refusal) implements Refused {}

    /** The same was asked for before. */
    record Duplicate(Run first) implements Submission {
        @Override
        public Optional<Run> run() {
            return Optional.of(first);
        }

        @Override
        public Optional<RunId> incumbent() {
            return Optional.of(first.id());
        }

        @Override
        public String explanation() {
            return "the same was asked for before: run " + first.id() + " of job " + first.job() + ", which is "
                    + first.state();
        }
    }

    /** Something else was asked for before under the same idempotency key. Nothing was done. */
    final class IdempotencyMismatchException extends InterlockException {

        private static final long serialVersionUID = 1L;

        private final String idempotencyKey;
        private final transient Run run;

        /** {@code idempotencyKey} stands for another request, which {@code run} came of. */
        public IdempotencyMismatchException(String idempotencyKey, Run run) {
            super("idempotency key '" + idempotencyKey + "' already stands for run " + run.id() + " of job " + run.job()
                    + " under " + run.key()
                    + ", which was asked for in other words; repeat the request exactly, or choose another key");
            this.idempotencyKey = idempotencyKey;
            this.run = run;
        }

        public String idempotencyKey() {
            return idempotencyKey;
        }

        public Run run() {
            return run;
        }

        @Override
        public String code() {
            return "idempotency-mismatch";
        }
    }
}
