package io.interlock;

import java.util.EnumSet;
import java.util.Set;

/** The state of a run. {@link #canBecome} defines all transitions; {@code docs/run-lifecycle.md} has the same edges. */
public enum RunState {
    /** Waits for its key, or for the time of its next attempt. */
    QUEUED,
    /** Has the key reserved and waits for a worker. */
    PENDING,
    /** Has the lease and is being executed. */
    RUNNING,
    /** Completed successfully. */
    SUCCEEDED,
    /** Ended with a permanent error. */
    FAILED,
    /** Was stopped, or removed from the queue. */
    ABORTED,
    /** Took longer than its max runtime. */
    TIMED_OUT,
    /** Used up all its attempts. */
    DEAD;

    private static final Set<RunState> ENDINGS = EnumSet.of(SUCCEEDED, FAILED, ABORTED, TIMED_OUT, DEAD);
    private static final Set<RunState> FAILURES = EnumSet.of(FAILED, TIMED_OUT, DEAD);

    /** Whether a run in this state has ended. */
    public boolean isTerminal() {
        return ENDINGS.contains(this);
    }

    /** Whether a run in this state has failed; one that was stopped has not. */
    public boolean isFailure() {
        return FAILURES.contains(this);
    }

    /** Whether a run may change from this state directly to {@code next}. */
    public boolean canBecome(RunState next) {
        return switch (this) {
            case QUEUED -> next == PENDING || next == RUNNING || next == FAILED || next == ABORTED;
            case PENDING -> next == RUNNING || next == QUEUED || next == FAILED || next == ABORTED;
            case RUNNING -> next == QUEUED || next.isTerminal();
            case SUCCEEDED, FAILED, ABORTED, TIMED_OUT, DEAD -> false;
        };
    }
}
