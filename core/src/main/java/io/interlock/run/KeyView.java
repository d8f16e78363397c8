package io.interlock.run;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What goes on under one key, at one moment.
 *
 * @param key the key
 * @param lease the lease it has, also one that has expired and was not cleared, or {@code null}
 * @param run the run that has the key (RUNNING), or that it is kept for, or {@code null}
 * @param waiting how many runs wait in line
 * @param waitingSince since when the first of them was submitted, or {@code null} if none waits
 * @param pause what stops grants, or {@code null}
 * @param observedAt the store's time
 */
public record KeyView(
        LockKey key,
        @Nullable LeaseRecord lease,
        @Nullable Run run,
        int waiting,
        @Nullable Instant waitingSince,
        @Nullable Pause pause,
        Instant observedAt) {

    /** The lease, if there is one. */
    public Optional<LeaseRecord> currentLease() {
        return Optional.ofNullable(lease);
    }

    /** The run that has the key or that it is kept for, if there is one. */
    public Optional<Run> currentRun() {
        return Optional.ofNullable(run);
    }

    /** What stops grants, if anything does. */
    public Optional<Pause> currentPause() {
        return Optional.ofNullable(pause);
    }

    /** How the key stands. */
    public KeyStatus state() {
        if (lease != null) {
            return lease.isLive() && !isTooLong() ? KeyStatus.HELD : KeyStatus.OVERDUE;
        }
        if (pause != null) {
            return KeyStatus.PAUSED;
        }
        return run != null || waiting > 0 ? KeyStatus.WAITING : KeyStatus.FREE;
    }

    /** How the key stands and why, in one sentence. */
    public String explanation() {
        return Explanations.of(this);
    }

    /** Whether the work under the key takes longer than its max runtime. */
    boolean isTooLong() {
        return run != null
                && run.spec()
                        .limits()
                        .runtimeLimit()
                        .flatMap(limit -> run.status()
                                .lastTurn()
                                .map(turn -> turn.startedAt().plus(limit)))
                        .filter(end -> end.isBefore(observedAt))
                        .isPresent();
    }
}
