package io.interlock.spi.run.rules;

import io.interlock.RunState;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When {@link Settlement} will have something to do on an idle key. Too early is harmless, too late would leave a key
 * closed.
 */
public final class DueRules {

    // A limit is exceeded after its moment, not at it.
    private static final Duration JUST_AFTER = Duration.ofNanos(1000);

    private DueRules() {}

    /**
     * When the next timeout of a waiting run occurs: the end of its delay, of its max wait or of its caller's silence.
     */
    public static @Nullable Instant ofWaiting(Run run, Instant now) {
        RunStatus status = run.status();
        Instant rested = status.notBefore();
        Waiter waiter = status.waiter();
        Instant due = rested != null && rested.isAfter(now) ? rested : null;
        due = sooner(due, endOfWait(run));
        return waiter == null
                ? due
                : sooner(due, waiter.seenAt().plus(Waiter.STALE_AFTER).plus(JUST_AFTER));
    }

    /** When the work of the busy run, or its wait for a worker, times out. */
    public static @Nullable Instant ofBusy(Run run, @Nullable LeaseRow lease, Instant now) {
        if (run.state() == RunState.PENDING) {
            return endOfWait(run);
        }
        return lease == null ? now : lease.expiresAt().plus(run.spec().limits().expiryGrace());
    }

    /** When the obstacle of the queue ends by time, as a step leaves the key; {@code null} if never. */
    public static @Nullable Instant ofKey(KeyState state) {
        if (state.isUnfinished()) {
            return state.now();
        }
        Reservation kept = state.reservation().orElse(null);
        Instant due = kept == null ? null : kept.until();
        if (state.queueSize() == 0) {
            return due;
        }
        LeaseRow lease = state.lease().orElse(null);
        if (lease != null && lease.opensAt().isAfter(state.now())) {
            due = sooner(due, lease.opensAt());
        }
        Instant quiet = state.context().quietUntil();
        if (quiet != null && quiet.isAfter(state.now())) {
            due = sooner(due, quiet);
        }
        for (Pause pause : state.context().pauses()) {
            if (pause.covers(state.key()) && pause.lastsAt(state.now())) {
                due = sooner(due, pause.until());
            }
        }
        return due;
    }

    /** The earlier of two moments that may be missing. */
    public static @Nullable Instant sooner(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }

    static boolean hasWaitedTooLong(Run run, Instant now) {
        Instant end = endOfWait(run);
        return end != null && !end.isAfter(now);
    }

    private static @Nullable Instant endOfWait(Run run) {
        Duration limit = run.spec().limits().maxWait();
        if (limit == null) {
            return null;
        }
        Instant since = run.status().since();
        Instant rested = run.status().notBefore();
        Instant from = rested != null && rested.isAfter(since) ? rested : since;
        return from.plus(limit).plus(JUST_AFTER);
    }
}
