package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.run.Pause;
import io.interlock.run.RunLimits;
import io.interlock.run.RunTexts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Stops grants under some keys. Existing leases continue.
 *
 * @param pattern the name of one key, or a prefix followed by {@code *}
 * @param time how long, or {@code null} until it is resumed
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

    /** Checks the texts. The audit log records a pause under its pattern, which must therefore be a valid key name. */
    public PauseRequest {
        LockKey.of(tenant, Pause.requirePattern(pattern));
        time = time == null ? null : RunLimits.capped(time);
        RunTexts.require("actor", actor.name(), "name who pauses the keys");
        RunTexts.require("reason", reason, "give the reason of the pause");
    }
}
