package io.interlock.spi.run.rules;

import io.interlock.LockKey;
import io.interlock.run.Pause;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a rule has to know beside the room, read after the key was locked.
 *
 * @param key whose room it is
 * @param now the store's time
 * @param epoch the store's epoch, for tokens
 * @param tokenFloor no smaller than any token whose row was deleted
 * @param quietUntil nothing is granted before, or {@code null}
 * @param pauses those that may cover the key
 * @param tenantBusy how many of the tenant's runs are PENDING or RUNNING
 * @param nextNumber the number a new run would have
 * @param chance from 0 to 1, spreads the rests between attempts
 */
public record Facts(
        LockKey key,
        Instant now,
        int epoch,
        long tokenFloor,
        @Nullable Instant quietUntil,
        List<Pause> pauses,
        int tenantBusy,
        long nextNumber,
        double chance) {

    /** Copies the pauses. */
    public Facts {
        pauses = List.copyOf(pauses);
    }
}
