package io.interlock.spi;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.run.RunTexts;

/**
 * Ends a lease by force.
 *
 * @param expected the token the actor saw; if the lease has another token now, nothing happens
 */
public record EvictRequest(LockKey key, FencingToken expected, Actor actor, String reason) {

    /** By one in this process. */
    public EvictRequest(LockKey key, FencingToken expected, String actor, String reason) {
        this(key, expected, Actor.of(actor), reason);
    }

    public EvictRequest {
        RunTexts.require("actor", actor.name(), "name who evicts the holder");
        RunTexts.require("reason", reason, "give the reason of the eviction");
    }
}
