package io.interlock.time;

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
}
