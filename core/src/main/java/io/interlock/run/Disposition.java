package io.interlock.run;

import io.interlock.RunId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a dead letter was settled.
 *
 * @param successor the new run, or {@code null} if there is none
 */
public record Disposition(
        Kind kind,
        String actor,
        String reason,
        Instant at,
        @Nullable RunId successor) {

    /** The kinds of settlement. */
    public enum Kind {
        /** Redriven: a new run does the work. */
        REDRIVEN,
        /** Discarded. */
        DISCARDED
    }

    /** The new run, if there is one. */
    public Optional<RunId> newRun() {
        return Optional.ofNullable(successor);
    }
}
