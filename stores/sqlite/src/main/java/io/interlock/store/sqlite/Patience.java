package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import io.interlock.time.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The time one call has, whatever it waits for: its turn in this process, then that of this process among others. An
 * interrupt does not shorten it. Used by one thread.
 */
final class Patience {

    private final String store;
    private final Ticker ticker;
    private final long end;

    Patience(String store, Ticker ticker, Duration timeout) {
        this.store = store;
        this.ticker = ticker;
        this.end = ticker.nanos() + timeout.toNanos();
    }

    /** The rest, at least 1 ms, which SQLite needs to try at all. */
    int leftMillis() {
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - ticker.nanos()));
    }

    /**
     * Waits in line for {@code lock}.
     *
     * @throws StoreUnavailableException if it is not our turn in time
     */
    void lock(ReentrantLock lock) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (lock.tryLock(Math.max(0, end - ticker.nanos()), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw new StoreUnavailableException(
                            store,
                            "kept others of this process waiting for longer than its timeout; try again, or raise timeout"
                                    + " in its URL");
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
