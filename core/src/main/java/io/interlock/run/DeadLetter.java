package io.interlock.run;

import io.interlock.RunId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run that has used up its attempts.
 *
 * @param run the run, in state DEAD
 * @param disposition how it was settled, or {@code null} if it is open
 */
public record DeadLetter(Run run, @Nullable Disposition disposition) {

    /** Whether it is neither redriven nor discarded. */
    public boolean isOpen() {
        return disposition == null;
    }

    /** How it was settled, if it was. */
    public Optional<Disposition> settled() {
        return Optional.ofNullable(disposition);
    }

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
}
