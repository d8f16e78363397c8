package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.RunTexts;

/**
 * Redrives a dead letter.
 *
 * @param anew the new run's id, created by the client; a repeated request with it returns the existing run
 */
public record RedriveRequest(RunId dead, RunId anew, Actor actor, String reason) {

    /** By one in this process. */
    public RedriveRequest(RunId dead, RunId anew, String actor, String reason) {
        this(dead, anew, Actor.of(actor), reason);
    }

    public RedriveRequest {
        RunTexts.require("actor", actor.name(), "name who redrives the run");
        RunTexts.require("reason", reason, "give the reason of the redrive");
    }
}
