package io.interlock.run;

import io.interlock.RunId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What somebody did about a dead letter.
 *
 * @param kind what
 * @param actor who
 * @param reason why
 * @param at when, by the store's clock
 * @param successor the run that does the work anew, or {@code null} if there is none
 */
public record Disposition(
        Kind kind,
        String actor,
        String reason,
        Instant at,
        @Nullable RunId successor) {

    /** What can be done about a dead letter. */
    public enum Kind {
        /** A new run does the work. */
        REDRIVEN,
        /** Nobody does. */
        DISCARDED
    }

    /** The run that does the work anew, if one does. */
    public Optional<RunId> newRun() {
        return Optional.ofNullable(successor);
    }
}
