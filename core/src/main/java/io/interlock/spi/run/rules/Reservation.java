package io.interlock.spi.run.rules;

import io.interlock.RunId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key kept for a run: for a PENDING run until a worker claims it, or offered for a while to a QUEUED one whose caller does
 * the work.
 *
 * @param run the run
 * @param since since when
 * @param until when an offer lapses, or {@code null} for a PENDING run
 */
public record Reservation(
        RunId run, Instant since, @Nullable Instant until) {

    /** How long a caller has to take its turn. */
    public static final Duration OFFER = Duration.ofSeconds(5);

    /** Whether it is an offer nobody took in time. */
    boolean hasLapsed(Instant now) {
        return until != null && !until.isAfter(now);
    }
}
