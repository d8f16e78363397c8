package io.interlock.spi.run.rules;

import io.interlock.run.Run;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

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
     * The first run, by priority and then by age, of another key of the tenant that waits only for a place, and could
     * have one while {@code busy} runs are running; {@code null} if there is none.
     */
    @Nullable
    Rival firstRival(int busy, Instant now);

    /**
     * A run of another key that waits for a place.
     *
     * @param priority its priority
     * @param submittedAt when it was submitted
     * @param number its number
     */
    record Rival(int priority, Instant submittedAt, long number) {

        /** Whether it comes before {@code run}. */
        boolean goesBefore(Run run, Instant now) {
            int mine = QueueRules.effectivePriority(priority, submittedAt, now);
            int other = QueueRules.effectivePriority(run, now);
            return mine != other ? mine > other : number < run.number();
        }
    }
}
