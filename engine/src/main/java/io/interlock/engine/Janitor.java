package io.interlock.engine;

import io.interlock.run.SweepAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cleans up expired leases and lost runs on keys that no step touches, and says what it did and why. Every engine has one; any number
 * of them may work on one store. No key depends on it: whatever step touches a key settles it first. Safe for use by many
 * threads.
 */
public interface Janitor {

    /** Does one round now. */
    List<Round> runOnce();

    Optional<List<Round>> lastRound();

    /** When the next round comes by itself; empty if none does any more. */
    Optional<Plan> plan();

    /**
     * When rounds come by themselves.
     *
     * @param every the usual time between two; each is up to a fifth sooner or later
     */
    record Plan(Instant next, Duration every) {}

    /**
     * One round of one sweep.
     *
     * @param at when, by this process's clock
     * @param skipped why it did nothing at all, or {@code null} if it looked
     */
    record Round(
            String sweep,
            Instant at,
            List<SweepAction> actions,
            @Nullable String skipped) {

        public Round {
            actions = List.copyOf(actions);
        }
    }
}
