package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.run.RunTexts;

/** Ends a pause. */
public record ResumeRequest(String tenant, String pattern, Actor actor, String reason) {

    /** By one in this process. */
    public ResumeRequest(String tenant, String pattern, String actor, String reason) {
        this(tenant, pattern, Actor.of(actor), reason);
    }

    public ResumeRequest {
        RunTexts.require("actor", actor.name(), "name who resumes the keys");
        RunTexts.require("reason", reason, "give the reason of the resume");
    }
}
