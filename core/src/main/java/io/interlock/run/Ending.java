package io.interlock.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of an attempt, as reported by its worker or caller. */
public sealed interface Ending {

    /**
     * It succeeded.
     *
     * @param result JSON text, at most 64 KiB, or {@code null}
     */
    record Succeeded(@Nullable String result) implements Ending {
        public Succeeded {
            if (result != null) {
                RunTexts.body("result", result);
            }
        }
    }

    /**
     * It failed.
     *
     * @param retryable whether another attempt may succeed
     * @param rest the delay before that attempt, or {@code null} for that of the retry plan
     */
    record Failed(
            RunError error, boolean retryable, @Nullable Duration rest) implements Ending {
        /** A longer time than {@link RunLimits#FOR_EVER} means unlimited. */
        public Failed {
            rest = rest == null ? null : RunLimits.capped(rest);
        }
    }

    /** It was stopped. */
    record Aborted(RunError error) implements Ending {}

    /** It exceeded its max runtime. */
    record TimedOut(RunError error) implements Ending {}
}
