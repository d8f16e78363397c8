package io.interlock.run;

import java.time.Instant;

/**
 * Somebody wants a run to stop.
 *
 * @param code what the run ends with: {@link RunError#CANCELLED} or {@link RunError#SUPERSEDED}
 * @param actor who wants it
 * @param reason why
 * @param at since when, by the store's clock
 */
public record StopRequest(String code, String actor, String reason, Instant at) {

    /** The error of a run that stopped because of this. */
    public RunError error() {
        return new RunError(code, "stopped for " + actor + ": " + reason);
    }
}
