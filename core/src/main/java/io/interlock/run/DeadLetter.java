package io.interlock.run;

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
}
