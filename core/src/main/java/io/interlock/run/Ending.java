package io.interlock.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended, in the words of whoever did the work. */
public sealed interface Ending {

    /**
     * It did what it should.
     *
     * @param result JSON text, at most 64 KiB, or {@code null}
     */
    record Succeeded(@Nullable String result) implements Ending {
        /** Checks the size. */
        public Succeeded {
            if (result != null) {
                RunTexts.body("result", result);
            }
        }
    }

    /**
     * It did not.
     *
     * @param error why
     * @param retryable whether another attempt may mend it
     * @param rest how long to rest before that, or {@code null} for what the run's plan says
     */
    record Failed(
            RunError error, boolean retryable, @Nullable Duration rest) implements Ending {
        /** What is longer than {@link RunLimits#FOR_EVER} is for ever. */
        public Failed {
            rest = rest == null ? null : RunLimits.capped(rest);
        }
    }

    /**
     * It was stopped.
     *
     * @param error why
     */
    record Aborted(RunError error) implements Ending {}

    /**
     * It took too long.
     *
     * @param error at what
     */
    record TimedOut(RunError error) implements Ending {}
}
