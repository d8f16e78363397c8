package io.interlock.run;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to a caller that requests its turn. */
public sealed interface TurnAnswer {

    /** The caller has its turn. */
    record Granted(Run run, LeaseRecord lease) implements TurnAnswer {}

    /**
     * The caller still waits.
     *
     * @param position its place, from 1
     * @param obstacle what prevents its start, or {@code null} if it only waits for its next attempt
     */
    record Waiting(Run run, int position, @Nullable Refusal obstacle) implements TurnAnswer {

        /** What prevents its start, unless it only waits for its next attempt. */
        public Optional<Refusal> because() {
            return Optional.ofNullable(obstacle);
        }
    }

    /**
     * The run no longer waits.
     *
     * @param run the current run, or {@code null} if it does not exist
     */
    record Over(@Nullable Run run) implements TurnAnswer {

        /** The current run, if it exists. */
        public Optional<Run> current() {
            return Optional.ofNullable(run);
        }
    }
}
