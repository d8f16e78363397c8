package io.interlock.time;

import java.time.Duration;

/**
 * Runs tasks later, one after the other, on its own thread.
 *
 * <p>A task that throws affects neither the timers nor later tasks. Implementations are thread-safe.
 */
public interface Timers extends AutoCloseable {

    /** Runs {@code task} once, after {@code delay}; at once if it is not positive. After {@link #close()}, never. */
    Scheduled after(Duration delay, Runnable task);

    /** Drops tasks that have not begun, and ends the thread. May be called twice. */
    @Override
    void close();

    /** A scheduled task. */
    @FunctionalInterface
    interface Scheduled {

        /** Cancels it if it has not begun. May be called twice. */
        void cancel();
    }
}
