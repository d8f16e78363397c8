package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.RunTexts;

/**
 * Somebody wants a run not to go on.
 *
 * @param run the run
 * @param actor who wants it
 * @param reason why
 */
public record CancelRequest(RunId run, Actor actor, String reason) {

    /** By one in this process. */
    public CancelRequest(RunId run, String actor, String reason) {
        this(run, Actor.of(actor), reason);
    }

    /** Checks both texts. */
    public CancelRequest {
        RunTexts.require("actor", actor.name(), "say who cancels the run");
        RunTexts.require("reason", reason, "say why it is cancelled");
    }
}
