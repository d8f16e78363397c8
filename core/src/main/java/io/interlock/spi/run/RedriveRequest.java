package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.RunTexts;

/**
 * Somebody wants the work of a dead run done after all.
 *
 * @param dead the dead run
 * @param anew the new run's name, made by the asker; asking again with it returns the run already made
 * @param actor who wants it
 * @param reason why
 */
public record RedriveRequest(RunId dead, RunId anew, Actor actor, String reason) {

    /** By one in this process. */
    public RedriveRequest(RunId dead, RunId anew, String actor, String reason) {
        this(dead, anew, Actor.of(actor), reason);
    }

    /** Checks both texts. */
    public RedriveRequest {
        RunTexts.require("actor", actor.name(), "say who redrives the run");
        RunTexts.require("reason", reason, "say why it may succeed now");
    }
}
