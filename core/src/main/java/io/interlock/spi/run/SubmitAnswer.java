package io.interlock.spi.run;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.run.Run;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to a {@link SubmitRequest}. */
public sealed interface SubmitAnswer {

    /** The run that a request was answered with for the first time; an idempotency key stands for it from then on. */
    default Optional<Run> result() {
        if (this instanceof Started started) {
            return Optional.of(started.run());
        }
        if (this instanceof Queued queued) {
            return Optional.of(queued.run());
        }
        return this instanceof Joined joined ? Optional.of(joined.run()) : Optional.empty();
    }

    /**
     * The run has the key: reserved for a worker, or held by the caller.
     *
     * @param lease the caller's lease, or {@code null} if a worker executes the run
     */
    record Started(Run run, @Nullable LeaseRecord lease) implements SubmitAnswer {

        /** The caller's lease, if the caller executes the run. */
        public Optional<LeaseRecord> granted() {
            return Optional.ofNullable(lease);
        }
    }

    /** The request joined an existing run. */
    record Joined(Run run) implements SubmitAnswer {}

    /**
     * The run waits in the queue.
     *
     * @param position its place, from 1; 0 if its turn came at once but it could not start, as its state shows
     */
    record Queued(Run run, int position) implements SubmitAnswer {}

    /** There is no run, and nothing was written. */
    record Refused(Refusal refusal) implements SubmitAnswer {}

    /** The same request was made before. */
    record Duplicate(Run run) implements SubmitAnswer {}

    /** A different request was made before with the same idempotency key. */
    record Mismatch(Run run) implements SubmitAnswer {}
}
