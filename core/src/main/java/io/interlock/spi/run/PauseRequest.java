package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.run.Pause;
import io.interlock.run.RunLimits;
import io.interlock.run.RunTexts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Stops grants under some keys. Leases held already go on.
 *
 * @param tenant whose keys
 * @param pattern the name of one key, or the beginning of names and a {@code *}
 * @param actor who asks
 * @param reason why
 * @param time how long, or {@code null} until somebody resumes
 */
public record PauseRequest(
        String tenant,
        String pattern,
        Actor actor,
        String reason,
        @Nullable Duration time) {

    /** By one in this process. */
    public PauseRequest(String tenant, String pattern, String actor, String reason, @Nullable Duration time) {
        this(tenant, pattern, Actor.of(actor), reason, time);
    }

    /** Checks the texts. The audit log keeps a pause as if its pattern were a key's name, so it has to be one. */
    public PauseRequest {
        LockKey.of(tenant, Pause.requirePattern(pattern));
        time = time == null ? null : RunLimits.capped(time);
        RunTexts.require("actor", actor.name(), "say who pauses the keys");
        RunTexts.require("reason", reason, "say why they are paused");
    }
}
