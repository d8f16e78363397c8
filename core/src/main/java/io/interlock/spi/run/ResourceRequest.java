package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.RunTexts;

/**
 * Sets the state of a resource.
 *
 * @param expectedVersion the version the actor saw, or 0 if there was none
 * @param onlyIfFree whether it is refused while the key is held or reserved for a run
 */
public record ResourceRequest(
        LockKey key, String kind, String state, long expectedVersion, Actor actor, String reason, boolean onlyIfFree) {

    /** By an actor in this process, also while the key is held, unless a run owns the resource. */
    public ResourceRequest(LockKey key, String kind, String state, long expectedVersion, String actor, String reason) {
        this(key, kind, state, expectedVersion, Actor.of(actor), reason, false);
    }

    public ResourceRequest {
        RunTexts.require("kind", kind, "name the kind of resource");
        RunTexts.require("state", state, "name states like READY or DESTROYING");
        RunTexts.require("actor", actor.name(), "name who sets the state");
        RunTexts.require("reason", reason, "give the reason of the change");
        if (expectedVersion < 0) {
            throw new InvalidSettingException(
                    "version", expectedVersion, "is negative", "0 means that there is no such resource yet");
        }
    }
}
