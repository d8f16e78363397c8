package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.RunTexts;

/** Discards a dead letter. */
public record DiscardRequest(RunId dead, Actor actor, String reason) {

    /** By one in this process. */
    public DiscardRequest(RunId dead, String actor, String reason) {
        this(dead, Actor.of(actor), reason);
    }

    public DiscardRequest {
        RunTexts.require("actor", actor.name(), "name who discards the run");
        RunTexts.require("reason", reason, "give the reason of the discard");
    }
}
