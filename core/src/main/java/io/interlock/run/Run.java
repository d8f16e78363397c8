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

    /** Its state. */
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

    /** This run with another priority. */
    public Run withPriority(int priority) {
        return new Run(id, key, number, submittedAt, spec.priority(priority), line, status);
    }

    /** Whether its work exceeds its max runtime at {@code now}. */
    public boolean isTooLong(Instant now) {
        return spec.limits()
                .runtimeLimit()
                .flatMap(limit -> status.lastTurn().map(turn -> turn.startedAt().plus(limit)))
                .filter(end -> end.isBefore(now))
                .isPresent();
    }
}
