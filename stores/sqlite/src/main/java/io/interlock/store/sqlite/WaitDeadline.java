package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time one call has, whatever it waits for: its turn in this process, then that of this process among others. An
 * interrupt does not shorten it. Used by one thread.
 */
final class WaitDeadline {

    private final String store;
    private final Ticker ticker;
    private final long end;

    WaitDeadline(String store, Ticker ticker, Duration timeout) {
        this.store = store;
        this.ticker = ticker;
        this.end = ticker.nanos() + timeout.toNanos();
    }

    /** The rest; not positive once there is none. */
    long leftNanos() {
        return end - ticker.nanos();
    }

    /** The rest, at least 1 ms, which SQLite needs to try at all. */
    int leftMillis() {
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos()));
    }

    /** What is thrown if the call did not get its turn in this process in time. */
    StoreUnavailableException tooLate() {
        return new StoreUnavailableException(
                store,
                "kept calls of this process waiting for longer than its timeout; try again, or raise timeout in its URL");
    }
}
