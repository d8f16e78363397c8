package io.interlock.spi.run.rules;

import io.interlock.LockKey;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.Waiter;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The data a rule needs besides the key, read after the key was locked.
 *
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

    /**
     * How many runs of a tenant are running, and which run of its other keys waits only for a place under the tenant's
     * limit. Used only for runs with a limit, so a store may load the numbers on demand. All keys of a tenant see the same
     * numbers, so a store lets one step at a time use them.
     */
    public interface TenantSlots {

        /**
         * How many runs of the tenant were PENDING or RUNNING before the step, plus how many of its other keys are offered
         * to callers. An offer counts until it lapses; otherwise a later run would get its place before the caller can
         * take it.
         */
        int busy();

        /**
         * The first run, in the {@linkplain QueueRules#ORDER order of one queue}, of another key of the tenant that waits only for a place, and could
         * have one while {@code busy} runs are running; {@code null} if there is none.
         */
        @Nullable
        Rival firstRival(int busy);

        /** A run of another key that waits for a slot, by its {@linkplain QueueRules#place place} in the order of runs. */
        record Rival(long place, long number) {

            boolean goesBefore(Run run) {
                long other = QueueRules.place(run);
                return place != other ? place < other : number < run.number();
            }
        }
    }
}
