package io.interlock.spi.run.rules;

import io.interlock.run.Run;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How many runs of a tenant are under way, and which run of its other keys waits for nothing but a place under the tenant's
 * limit. Asked only about runs that have a limit, so a store may find out when it is asked. All keys of a tenant see the
 * same numbers, so a store lets one step at a time ask about a tenant.
 */
public interface TenantSlots {

    /**
     * How many runs of the tenant were PENDING or RUNNING before the step, and how many of its other keys are offered to
     * callers. An offer counts, because otherwise its place would be given to a run that comes after the caller's before the
     * caller has had the time to take it; it counts until it lapses.
     */
    int busy();

    /**
     * The first run, by priority and then by age, of another key of the tenant that waits for nothing but a place, and could
     * have one while {@code busy} runs are under way; {@code null} if there is none.
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

        /** Whether it has its place before {@code run}. */
        boolean goesBefore(Run run, Instant now) {
            int mine = QueueRules.effectivePriority(priority, submittedAt, now);
            int other = QueueRules.effectivePriority(run, now);
            return mine != other ? mine > other : number < run.number();
        }
    }
}
