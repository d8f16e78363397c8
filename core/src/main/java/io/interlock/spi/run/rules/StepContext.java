package io.interlock.spi.run.rules;

import io.interlock.LockKey;
import io.interlock.run.Pause;
import io.interlock.run.Waiter;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The data a rule needs besides the key, read after the key was locked.
 *
 * @param key the key
 * @param now the store's time
 * @param tokens epoch and floor of tokens
 * @param quietUntil the end of the quiet period, or {@code null}
 * @param heardSince since when waiting callers can report; their silence before that does not count
 * @param pauses the pauses that may cover the key
 * @param tenant how many runs of the tenant are running
 * @param numbers assigns numbers to new runs
 * @param chance a random number from 0 to 1 that spreads the delays between attempts
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

    public StepContext {
        pauses = List.copyOf(pauses);
    }

    /**
     * The parts of a token besides the clock and the key's last token.
     *
     * @param epoch the store's epoch
     * @param floor at least as great as every token whose row was deleted
     */
    public record Tokens(int epoch, long floor) {}

    /** Whether {@code waiter} has sent nothing for too long, although it could. */
    boolean isStale(Waiter waiter) {
        return waiter.since(heardSince).isStale(now);
    }
}
