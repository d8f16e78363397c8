package io.interlock.time;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;

/** The clocks, timers, threads and random numbers of a process. */
public interface Environment {

    /** The wall clock, for messages and for detecting that the machine slept. It has no effect on leases. */
    InstantSource clock();

    /** Monotonic time. */
    Ticker ticker();

    /** Timers with their own thread {@code name}. The caller closes them. */
    Timers timers(String name);

    /** Creates daemon threads with the name {@code name} and a number. */
    ThreadFactory threads(String name);

    /** Unpredictable random numbers, suitable for lease ids. */
    RandomGenerator random();

    /** The environment of a real process. */
    static Environment system() {
        return SystemEnvironment.INSTANCE;
    }

    /** Monotonic time of this process, for measuring durations. Only differences are meaningful. */
    @FunctionalInterface
    interface Ticker {

        /** Nanoseconds since some fixed moment. */
        long nanos();
    }

    /**
     * Runs tasks later, one after the other, on its own thread.
     *
     * <p>A task that throws affects neither the timers nor later tasks. Implementations are thread-safe.
     */
    interface Timers extends AutoCloseable {

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
}
