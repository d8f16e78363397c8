package io.interlock.spi.run;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.run.Run;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store says to a {@link SubmitRequest}. */
public sealed interface SubmitAnswer {

    /**
     * The key is the run's: kept for a worker, or already held by the caller.
     *
     * @param run the new run
     * @param lease the caller's lease, or {@code null} if a worker does the work
     */
    record Started(Run run, @Nullable LeaseRecord lease) implements SubmitAnswer {

        /** The caller's lease, if the caller does the work. */
        public Optional<LeaseRecord> granted() {
            return Optional.ofNullable(lease);
        }
    }

    /**
     * Somebody's run will do.
     *
     * @param run that run
     */
    record Joined(Run run) implements SubmitAnswer {}

    /**
     * It waits in line.
     *
     * @param run the new run
     * @param position its place, from 1; 0 if its turn came at once and it could not start, as its state says
     */
    record Queued(Run run, int position) implements SubmitAnswer {}

    /**
     * There is no run, and nothing was written.
     *
     * @param refusal why
     */
    record Refused(Refusal refusal) implements SubmitAnswer {}

    /**
     * The same was asked for before.
     *
     * @param run what came of it
     */
    record Duplicate(Run run) implements SubmitAnswer {}

    /**
     * Something else was asked for before under the same idempotency key.
     *
     * @param run what came of that
     */
    record Mismatch(Run run) implements SubmitAnswer {}
}
