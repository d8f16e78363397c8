package io.interlock.spi.run.rules;

import io.interlock.ConflictPolicy;

/** What happens to a newcomer. {@link #of} is the whole table of the six policies, and knows nothing else. */
enum Admission {
    /** It has the key. */
    START,
    /** It gets the incumbent's run. */
    JOIN,
    /** It waits in line. */
    QUEUE,
    /** It waits in line, in place of those of its job. */
    QUEUE_INSTEAD,
    /** It waits in line in place of those of its job, and the incumbent is asked to stop. */
    REPLACE,
    /** It is refused: something keeps it from starting. */
    REFUSE,
    /** It is refused: the resource is not in a state it may start from. */
    REFUSE_STATE;

    /**
     * What a newcomer finds.
     *
     * @param isFree whether nothing keeps it from starting at once
     * @param hasIncumbent whether there is a run it could join
     * @param isRightState whether the resource, as it stands, is in a state the job may start from
     */
    record Situation(boolean isFree, boolean hasIncumbent, boolean isRightState) {}

    /** What {@code policy} makes of {@code situation}. */
    static Admission of(ConflictPolicy policy, Situation situation) {
        boolean waits = policy == ConflictPolicy.QUEUE || policy == ConflictPolicy.QUEUE_LATEST;
        // Whoever may wait is judged when its turn comes; if that is now, then now.
        if (!situation.isRightState() && (situation.isFree() || !waits)) {
            return REFUSE_STATE;
        }
        if (situation.isFree()) {
            return START;
        }
        return switch (policy) {
            case REJECT, SKIP -> REFUSE;
            case JOIN -> situation.hasIncumbent() ? JOIN : REFUSE;
            case QUEUE -> QUEUE;
            case QUEUE_LATEST -> QUEUE_INSTEAD;
            case REPLACE -> REPLACE;
        };
    }
}
