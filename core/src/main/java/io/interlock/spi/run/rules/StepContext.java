package io.interlock.spi.run.rules;

import io.interlock.LockKey;
import io.interlock.run.Pause;
import io.interlock.run.Waiter;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a rule has to know beside the key, read after the key was locked.
 *
 * @param key which key
 * @param now the store's time
 * @param tokens what tokens are made of beside the clock
 * @param quietUntil nothing is granted before, or {@code null}
 * @param heardSince waiting callers could report since then, so an earlier silence of theirs proves nothing
 * @param pauses those that may cover the key
 * @param tenant how many runs of the tenant are under way
 * @param numbers gives each new run its number
 * @param chance from 0 to 1, spreads the rests between attempts
 */
public record StepContext(
        LockKey key,
        Instant now,
        Tokens tokens,
        @Nullable Instant quietUntil,
        Instant heardSince,
        List<Pause> pauses,
        TenantSlots tenant,
        LongSupplier numbers,
        double chance) {

    /** Copies the pauses. */
    public StepContext {
        pauses = List.copyOf(pauses);
    }

    /**
     * What tokens are made of beside the clock and the key's last one.
     *
     * @param epoch the store's epoch
     * @param floor no smaller than any token whose row was deleted
     */
    public record Tokens(int epoch, long floor) {}

    /** Whether {@code waiter} has said nothing for too long, though it could have. */
    boolean isStale(Waiter waiter) {
        return waiter.since(heardSince).isStale(now);
    }
}
