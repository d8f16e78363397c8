package io.interlock.run;

/**
 * Why a run or an attempt did not succeed.
 *
 * @param code for programs: {@code WORKER_TIMEOUT}, {@code EVICTED}, … or the work's own, in one line since it goes into logs
 * @param message for people
 */
public record RunError(String code, String message) {

    /** The worker vanished: its lease ran out while it worked. */
    public static final String WORKER_TIMEOUT = "WORKER_TIMEOUT";

    /** The run counted as running, but nobody had its lease. */
    public static final String LOCK_STATE_LOST = "LOCK_STATE_LOST";

    /** Another run counted as running under the same key; both were stopped. */
    public static final String OVERLAPPING_GRANTS = "OVERLAPPING_GRANTS";

    /** Nobody claimed it in time. */
    public static final String NO_WORKER = "NO_WORKER";

    /** It waited in line for longer than it would. */
    public static final String WAIT_EXPIRED = "WAIT_EXPIRED";

    /** Whoever wanted to do the work itself no longer waits. */
    public static final String WAITER_LOST = "WAITER_LOST";

    /** A later run of its job took its place in line. */
    public static final String SUPERSEDED = "SUPERSEDED";

    /** An operator took its lease away. */
    public static final String EVICTED = "EVICTED";

    /** Somebody asked it to stop. */
    public static final String CANCELLED = "CANCELLED";

    /** It took longer than its max runtime. */
    public static final String MAX_RUNTIME = "MAX_RUNTIME";

    /** The resource was not in a state the job may start from when its turn came. */
    public static final String WRONG_STATE = "WRONG_STATE";

    /** The longest message that is kept, in characters. */
    public static final int MAX_MESSAGE = 4000;

    /** Makes a line of the code, and cuts a message that is too long: work has ended, whatever it says of itself. */
    public RunError {
        code = RunTexts.line(code);
        if (message.length() > MAX_MESSAGE) {
            message = message.substring(0, MAX_MESSAGE - 1) + "…";
        }
    }
}
