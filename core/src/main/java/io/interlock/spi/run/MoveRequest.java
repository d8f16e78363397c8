package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.RunTexts;

/** Moves a waiting run to the front of the queue of its key. */
public record MoveRequest(RunId run, Actor actor, String reason) {

    public MoveRequest {
        RunTexts.require("actor", actor.name(), "name who moves the run");
        RunTexts.require("reason", reason, "give the reason of the move");
    }
}
