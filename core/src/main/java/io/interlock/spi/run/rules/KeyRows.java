package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stored data of one key, as a step finds it.
 *
 * @param lease the lease row, or {@code null} if the key is free
 * @param lastToken the last token of the key, or 0
 * @param reservation the run that has the reservation, or {@code null}
 * @param busy the PENDING or RUNNING run of the key; more than one only if a table was changed by hand
 * @param queue the waiting runs
 * @param resource the resource of the key, or {@code null} if no run has changed it
 */
public record KeyRows(
        @Nullable LeaseRow lease,
        long lastToken,
        @Nullable Reservation reservation,
        List<Run> busy,
        RunQueue queue,
        @Nullable Resource resource) {

    public KeyRows {
        busy = List.copyOf(busy);
    }

    /** A key without runs. */
    public static KeyRows ofLease(@Nullable LeaseRow lease, long lastToken) {
        return new KeyRows(lease, lastToken, null, List.of(), RunQueue.EMPTY, null);
    }

    /**
     * A key reserved for a run: for a PENDING run until a worker claims it, or offered for a limited time to a QUEUED one
     * whose caller executes it.
     *
     * @param until when an offer lapses, or {@code null} for a PENDING run
     */
    public record Reservation(
            RunId run, Instant since, @Nullable Instant until) {

        /** How long a caller has to take its turn. */
        public static final Duration OFFER = Duration.ofSeconds(5);

        boolean hasLapsed(Instant now) {
            return until != null && !until.isAfter(now);
        }
    }
}
