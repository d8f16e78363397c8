package io.interlock.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import java.time.Instant;

/**
 * One execution, as its store knew it at one moment.
 *
 * @param id its name
 * @param key what it is exclusive under
 * @param number its place among all that were submitted; a retry keeps it
 * @param submittedAt when it was submitted, by the store's clock
 * @param spec what was asked for
 * @param line the limits it was let in under
 * @param status where it stands
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

    /** Where it stands, in one sentence. */
    public String explanation() {
        return Explanations.of(this);
    }

    /** This run, standing somewhere else. */
    public Run with(RunStatus status) {
        return new Run(id, key, number, submittedAt, spec, line, status);
    }
}
