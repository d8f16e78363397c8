package io.interlock.run;

/**
 * Why a run or an attempt did not succeed.
 *
 * @param code for programs: {@code WORKER_TIMEOUT}, {@code EVICTED}, … or a code of the handler, in one line because
 * it is logged
 */
public record RunError(String code, String message) {

    /** The worker vanished: its lease expired while it worked. */
    public static final String WORKER_TIMEOUT = "WORKER_TIMEOUT";

    /** The run was RUNNING without a lease. */
    public static final String LOCK_STATE_LOST = "LOCK_STATE_LOST";

    /** Another run was RUNNING under the same key; both were stopped. */
    public static final String OVERLAPPING_GRANTS = "OVERLAPPING_GRANTS";

    /** No worker claimed it in time. */
    public static final String NO_WORKER = "NO_WORKER";

    /** It waited in the queue for longer than its max wait. */
    public static final String WAIT_EXPIRED = "WAIT_EXPIRED";

    /** Its caller no longer waits. */
    public static final String WAITER_LOST = "WAITER_LOST";

    /** A later run of its job took its place in the queue. */
    public static final String SUPERSEDED = "SUPERSEDED";

    /** An operator evicted its lease. */
    public static final String EVICTED = "EVICTED";

    /** It was cancelled. */
    public static final String CANCELLED = "CANCELLED";

    /** It exceeded its max runtime. */
    public static final String MAX_RUNTIME = "MAX_RUNTIME";

    /** The resource was not in a state the job may start from when its turn came. */
    public static final String WRONG_STATE = "WRONG_STATE";

    /** The longest message that is kept, in characters. */
    public static final int MAX_MESSAGE = 4000;

    /** Turns the code into one line and truncates a long message: an attempt must be able to end with any error. */
    public RunError {
        code = RunTexts.line(code);
        if (message.length() > MAX_MESSAGE) {
            message = message.substring(0, MAX_MESSAGE - 1) + "…";
        }
    }
}
