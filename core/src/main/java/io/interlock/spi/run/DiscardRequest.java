package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.RunTexts;

/**
 * Somebody says that the work of a dead run need not be done.
 *
 * @param dead the dead run
 * @param actor who says so
 * @param reason why
 */
public record DiscardRequest(RunId dead, Actor actor, String reason) {

    /** By one in this process. */
    public DiscardRequest(RunId dead, String actor, String reason) {
        this(dead, Actor.of(actor), reason);
    }

    /** Checks both texts. */
    public DiscardRequest {
        RunTexts.require("actor", actor.name(), "say who discards the run");
        RunTexts.require("reason", reason, "say why nobody has to do it");
    }
}
