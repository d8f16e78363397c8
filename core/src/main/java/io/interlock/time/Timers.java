package io.interlock.time;

import java.time.Duration;

/**
 * Does things later, one after the other, on a thread of its own.
 *
 * <p>A task that throws harms neither the timers nor later tasks. Implementations are safe for use by many threads.
 */
public interface Timers extends AutoCloseable {

    /** Runs {@code task} once, after {@code delay}; at once if it is not positive. After {@link #close()}, never. */
    Scheduled after(Duration delay, Runnable task);

    /** Forgets what has not begun, and ends the thread. May be called twice. */
    @Override
    void close();

    /** Something that will be done later. */
    @FunctionalInterface
    interface Scheduled {

        /** Forgets it if it has not begun. May be called twice. */
        void cancel();
    }
}
