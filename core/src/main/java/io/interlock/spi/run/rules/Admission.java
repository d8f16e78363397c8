package io.interlock.spi.run.rules;

import io.interlock.ConflictPolicy;

/** What happens to a newcomer. {@link #of} is the complete decision table of the six policies. */
enum Admission {
    /** It gets the key. */
    START,
    /** It gets the incumbent's run. */
    JOIN,
    /** It waits in the queue. */
    QUEUE,
    /** It waits in the queue and replaces the waiting runs of its job. */
    QUEUE_INSTEAD,
    /** It waits in the queue, replaces the waiting runs of its job, and the incumbent gets a stop request. */
    REPLACE,
    /** It is refused because it cannot start now. */
    REFUSE,
    /** It is refused because of the state of the resource. */
    REFUSE_STATE;

    /**
     * The situation of a newcomer.
     *
     * @param isFree whether it can start at once
     * @param hasIncumbent whether there is a run it could join
     * @param isRightState whether the job may start in the current state of the resource
     */
    record Situation(boolean isFree, boolean hasIncumbent, boolean isRightState) {}

    /** The decision of {@code policy} in {@code situation}. */
    static Admission of(ConflictPolicy policy, Situation situation) {
        boolean waits = policy == ConflictPolicy.QUEUE || policy == ConflictPolicy.QUEUE_LATEST;
        // For a newcomer that may wait, the state is checked when its turn comes, which may be now.
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
