package io.interlock.run;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store says to a caller that asks whether it is its turn. */
public sealed interface TurnAnswer {

    /**
     * It is its turn.
     *
     * @param run now running
     * @param lease the right to do its work
     */
    record Granted(Run run, LeaseRecord lease) implements TurnAnswer {}

    /**
     * Not yet.
     *
     * @param run still in line
     * @param position its place, from 1
     * @param obstacle what stands in the way, or {@code null} if only its own rest between two attempts does
     */
    record Waiting(Run run, int position, @Nullable Refusal obstacle) implements TurnAnswer {

        /** What stands in the way, if it is not only its own rest. */
        public Optional<Refusal> because() {
            return Optional.ofNullable(obstacle);
        }
    }

    /**
     * There is nothing to wait for any more.
     *
     * @param run what became of it, or {@code null} if there is no such run
     */
    record Over(@Nullable Run run) implements TurnAnswer {

        /** What became of the run, if there is such a run. */
        public Optional<Run> current() {
            return Optional.ofNullable(run);
        }
    }
}
