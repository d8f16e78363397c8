package io.interlock.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.RunLimits.LineLimits;
import java.time.Instant;

/**
 * One execution, as seen in its store at one moment.
 *
 * @param number its number in the order of submissions; a retry keeps it
 */
public record Run(
        RunId id, LockKey key, long number, Instant submittedAt, RunSpec spec, LineLimits line, RunStatus status) {

    public RunState state() {
        return status.state();
    }

    /** The kind of work. */
    public JobName job() {
        return spec.job();
    }

    /** The status in one sentence. */
    public String explanation() {
        return Explanations.of(this);
    }

    /** This run with another status. */
    public Run with(RunStatus status) {
        return new Run(id, key, number, submittedAt, spec, line, status);
    }

    /** This run with another spec. */
    public Run with(RunSpec spec) {
        return new Run(id, key, number, submittedAt, spec, line, status);
    }

    /** Whether its work exceeds its max runtime at {@code now}. */
    public boolean isTooLong(Instant now) {
        return spec.limits()
                .runtimeLimit()
                .flatMap(limit -> status.lastTurn().map(turn -> turn.startedAt().plus(limit)))
                .filter(end -> end.isBefore(now))
                .isPresent();
    }

    /** The answer of a store to a cancel. */
    public sealed interface CancelAnswer {

        /** The run had not started and was ended. */
        record Cancelled(Run run) implements CancelAnswer {}

        /** The run is being executed; its handler gets the stop request with its next heartbeat. */
        record StopRequested(Run run) implements CancelAnswer {}

        /** The run had already ended. */
        record Over(Run run) implements CancelAnswer {}

        /** There is no such run. */
        record Unknown() implements CancelAnswer {}
    }

    /** The answer of a store to a move to the front. */
    public sealed interface MoveAnswer {

        /** The run is the first of those that are ready; also if it was before. */
        record Moved(Run run) implements MoveAnswer {}

        /** The run does not wait: it has begun or ended. */
        record NotWaiting(Run run) implements MoveAnswer {}

        /** There is no such run. */
        record Unknown() implements MoveAnswer {}
    }
}
