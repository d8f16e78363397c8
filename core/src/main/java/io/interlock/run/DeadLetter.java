package io.interlock.run;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run whose attempts are used up.
 *
 * @param run the run, DEAD for good
 * @param disposition what somebody did about it, or {@code null} if nobody has
 */
public record DeadLetter(Run run, @Nullable Disposition disposition) {

    /** Whether nobody has done anything about it. */
    public boolean isOpen() {
        return disposition == null;
    }

    /** What somebody did about it, if anybody has. */
    public Optional<Disposition> settled() {
        return Optional.ofNullable(disposition);
    }
}
