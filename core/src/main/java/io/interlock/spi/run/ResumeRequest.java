package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.run.RunTexts;

/**
 * Ends a pause.
 *
 * @param tenant whose keys
 * @param pattern as it was paused
 * @param actor who asks
 * @param reason why
 */
public record ResumeRequest(String tenant, String pattern, Actor actor, String reason) {

    /** By one in this process. */
    public ResumeRequest(String tenant, String pattern, String actor, String reason) {
        this(tenant, pattern, Actor.of(actor), reason);
    }

    /** Checks the texts. */
    public ResumeRequest {
        RunTexts.require("actor", actor.name(), "say who resumes the keys");
        RunTexts.require("reason", reason, "say why they are resumed");
    }
}
