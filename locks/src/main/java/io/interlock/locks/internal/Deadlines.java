package io.interlock.locks.internal;

import io.interlock.LeaseTerms;
import io.interlock.LossCause;
import io.interlock.locks.LeaseOptions;
import io.interlock.time.LocalTime;
import org.jspecify.annotations.Nullable;

/** Until when a holder may rely on its lease, by its own clock. */
final class Deadlines {

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private Deadlines() {}

    /** Nanoseconds from before the last confirmed request until the lease counts as lost. */
    static long stopAfter(LeaseTerms terms) {
        return terms.reliance().toNanos();
    }

    /** Nanoseconds it may be held at all. */
    static long limit(LeaseOptions options) {
        return options.maxHold().map(limit -> LocalTime.capped(limit).toNanos()).orElse(NO_LIMIT);
    }

    /** Nanoseconds until {@code lease} is to be judged, unless it is renewed before; by both clocks. */
    static long left(HeldLease lease, LocalTime time) {
        long unconfirmed = stopAfter(lease.options().terms()) - time.elapsed(lease.confirmedAt());
        long overdue = limit(lease.options()) - time.elapsed(lease.askedAt());
        return Math.min(unconfirmed, overdue);
    }

    /** Why {@code lease} is over by now, if it is. */
    static @Nullable LossCause verdict(HeldLease lease, LocalTime time) {
        if (time.elapsed(lease.askedAt()) >= limit(lease.options())) {
            return LossCause.OVERDUE;
        }
        return time.elapsed(lease.confirmedAt()) >= stopAfter(lease.options().terms()) ? LossCause.UNCONFIRMED : null;
    }
}
