package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.RunTexts;

/**
 * Says where a resource stands.
 *
 * @param key whose resource
 * @param kind for people
 * @param state where it stands
 * @param expectedVersion the version the actor saw, or 0 if there was none
 * @param actor who says so
 * @param reason why
 * @param onlyIfFree whether it is refused while the key is held or kept for a run
 */
public record ResourceRequest(
        LockKey key, String kind, String state, long expectedVersion, Actor actor, String reason, boolean onlyIfFree) {

    /** By one in this process, also while the key is held, unless a run moves the resource. */
    public ResourceRequest(LockKey key, String kind, String state, long expectedVersion, String actor, String reason) {
        this(key, kind, state, expectedVersion, Actor.of(actor), reason, false);
    }

    /** Checks the texts. */
    public ResourceRequest {
        RunTexts.require("kind", kind, "name the kind of resource");
        RunTexts.require("state", state, "name states like READY or DESTROYING");
        RunTexts.require("actor", actor.name(), "say who sets the state");
        RunTexts.require("reason", reason, "say why it is set");
        if (expectedVersion < 0) {
            throw new InvalidSettingException(
                    "version", expectedVersion, "is negative", "0 means that there is no such resource yet");
        }
    }
}
