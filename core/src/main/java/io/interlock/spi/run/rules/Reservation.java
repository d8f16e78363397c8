package io.interlock.spi.run.rules;

import io.interlock.RunId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key reserved for a run: for a PENDING run until a worker claims it, or offered for a limited time to a QUEUED one
 * whose caller executes it.
 *
 * @param run the run
 * @param since since when
 * @param until when an offer lapses, or {@code null} for a PENDING run
 */
public record Reservation(
        RunId run, Instant since, @Nullable Instant until) {

    /** How long a caller has to take its turn. */
    public static final Duration OFFER = Duration.ofSeconds(5);

    /** Whether it is an offer that was not taken in time. */
    boolean hasLapsed(Instant now) {
        return until != null && !until.isAfter(now);
    }
}
