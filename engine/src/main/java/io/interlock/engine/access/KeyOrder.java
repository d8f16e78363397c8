package io.interlock.engine.access;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.run.RunTexts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an API key is wanted for.
 *
 * @param role what it may do
 * @param lifetime how long it counts, or {@code null} for until it is revoked
 */
public record KeyOrder(
        String tenant, Role role, String label, @Nullable Duration lifetime) {

    public KeyOrder {
        // A key's tenant follows the rule of a lock's tenant; the name does not matter here.
        LockKey.of(tenant, "any");
        RunTexts.require("label", label, "say whose key it is");
        if (lifetime != null && (lifetime.isNegative() || lifetime.isZero())) {
            throw new InvalidSettingException("lifetime", lifetime, "must be above 0s", "leave it out for no end");
        }
    }
}
