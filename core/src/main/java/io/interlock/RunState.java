package io.interlock;

import java.util.EnumSet;
import java.util.Set;

/** The life of a run. {@link #canBecome} is the whole of it; {@code docs/run-lifecycle.md} draws the same edges. */
public enum RunState {
    /** Waits for its key, or for the time of its next attempt. */
    QUEUED,
    /** Has the key reserved and waits for a worker. */
    PENDING,
    /** Has the lease, and somebody works on it. */
    RUNNING,
    /** Did what it should. */
    SUCCEEDED,
    /** Ended with an error that no further attempt would mend. */
    FAILED,
    /** Was stopped or taken out of the line by somebody. */
    ABORTED,
    /** Took longer than its max runtime. */
    TIMED_OUT,
    /** Used up all its attempts. */
    DEAD;

    private static final Set<RunState> ENDINGS = EnumSet.of(SUCCEEDED, FAILED, ABORTED, TIMED_OUT, DEAD);

    /** Whether a run in this state never changes again. */
    public boolean isTerminal() {
        return ENDINGS.contains(this);
    }

    /** Whether a run may go from this state straight to {@code next}. */
    public boolean canBecome(RunState next) {
        return switch (this) {
            case QUEUED -> next == PENDING || next == RUNNING || next == FAILED || next == ABORTED;
            case PENDING -> next == RUNNING || next == QUEUED || next == FAILED || next == ABORTED;
            case RUNNING -> next == QUEUED || next.isTerminal();
            case SUCCEEDED, FAILED, ABORTED, TIMED_OUT, DEAD -> false;
        };
    }
}
