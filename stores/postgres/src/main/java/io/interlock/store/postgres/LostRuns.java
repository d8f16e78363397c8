package io.interlock.store.postgres;

import io.interlock.time.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * When to look for runs whose key's row was lost or changed by hand. Nothing but looking at all runs under way finds them, so
 * the more there are, the less often it is done: it takes no more than a twentieth of the time. Safe for use by many threads.
 */
final class LostRuns {

    private static final int SHARE = 20;
    private static final long LONGEST = TimeUnit.MINUTES.toNanos(5);

    private final Ticker ticker;
    private final AtomicLong next;

    LostRuns(Ticker ticker) {
        this.ticker = ticker;
        next = new AtomicLong(ticker.nanos());
    }

    /** Runs {@code sweep}, and tells it whether to look for them now. */
    <T> T during(Function<Boolean, T> sweep) {
        long start = ticker.nanos();
        long due = next.get();
        boolean now = start - due >= 0 && next.compareAndSet(due, start + LONGEST);
        try {
            return sweep.apply(now);
        } finally {
            if (now) {
                long end = ticker.nanos();
                next.set(end + (end - start) * SHARE);
            }
        }
    }
}
