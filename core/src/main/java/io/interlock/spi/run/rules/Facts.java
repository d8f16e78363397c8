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
 * @param rivals the limits of the tenant's other keys that wait for nothing but its limit, and have waited longer than this one
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
        List<Integer> rivals,
        long nextNumber,
        double chance) {

    /** Copies the lists. */
    public Facts {
        pauses = List.copyOf(pauses);
        rivals = List.copyOf(rivals);
    }

    /** How many of the tenant's runs are under way, if {@code busy} are by now, or have their turn before anybody here. */
    public int crowd(int busy) {
        return busy + (int) rivals.stream().filter(limit -> limit > busy).count();
    }

    /** These, with more of the tenant's runs under way. */
    public Facts busier(int more) {
        return new Facts(
                key, now, epoch, tokenFloor, quietUntil, pauses, tenantBusy + more, rivals, nextNumber, chance);
    }
}
