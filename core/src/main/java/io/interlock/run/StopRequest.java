package io.interlock.run;

import java.time.Instant;

/**
 * A request to stop a run.
 *
 * @param code the error code of the run: {@link RunError#CANCELLED} or {@link RunError#SUPERSEDED}
 */
public record StopRequest(String code, String actor, String reason, Instant at) {

    /** The error of a run that stopped because of this. */
    public RunError error() {
        return new RunError(code, "stopped for " + actor + ": " + reason);
    }
}
