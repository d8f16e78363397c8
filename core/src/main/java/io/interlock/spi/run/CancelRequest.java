package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.RunTexts;

/** Cancels a run. */
public record CancelRequest(RunId run, Actor actor, String reason) {

    /** By one in this process. */
    public CancelRequest(RunId run, String actor, String reason) {
        this(run, Actor.of(actor), reason);
    }

    public CancelRequest {
        RunTexts.require("actor", actor.name(), "name who cancels the run");
        RunTexts.require("reason", reason, "give the reason of the cancel");
    }
}
