package io.interlock.run;

import io.interlock.LossCause;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to a finish. In every case the sender no longer has the key. */
public sealed interface FinishAnswer {

    /**
     * The attempt is finished, by this request or the same one before.
     *
     * @param run ended, or queued for another attempt
     * @param next the next run of the key, if the sender asked for it and has it now, or {@code null}
     */
    record Finished(Run run, @Nullable Claimed next) implements FinishAnswer {

        public Finished(Run run) {
            this(run, null);
        }

        /** The next run of the key, if the sender has it now. */
        public Optional<Claimed> taken() {
            return Optional.ofNullable(next);
        }
    }

    /** The attempt was already finished with another outcome; nothing was changed. */
    record AlreadyFinished(Run run) implements FinishAnswer {}

    /**
     * The lease was no longer live, so the outcome does not count. If its row still existed, the key is free now.
     *
     * @param run the current run, or {@code null} if it does not exist
     */
    record LeaseLost(LossCause cause, @Nullable Run run) implements FinishAnswer {

        /** The current run, if it exists. */
        public Optional<Run> current() {
            return Optional.ofNullable(run);
        }
    }
}
