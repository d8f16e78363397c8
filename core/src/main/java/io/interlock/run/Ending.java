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
        /** Checks the code. */
        public Failed {
            requireCode(error);
        }
    }

    /**
     * It was stopped.
     *
     * @param error why
     */
    record Aborted(RunError error) implements Ending {
        /** Checks the code. */
        public Aborted {
            requireCode(error);
        }
    }

    /**
     * It took too long.
     *
     * @param error at what
     */
    record TimedOut(RunError error) implements Ending {
        /** Checks the code. */
        public TimedOut {
            requireCode(error);
        }
    }

    // It goes into logs, where a line of its own would look like somebody else's.
    private static void requireCode(RunError error) {
        RunTexts.require("code", error.code(), "name the error in one word, and tell the rest in its message");
    }
}
