package io.interlock.time;

import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;

/** What a process gives Interlock to live in: clocks, timers, threads and chance. */
public interface Environment {

    /** The wall clock, for people and for noticing that the machine slept. It decides nothing about leases. */
    InstantSource clock();

    /** Monotonic time. */
    Ticker ticker();

    /** Timers with a thread of their own, called {@code name}. Whoever asks for them closes them. */
    Timers timers(String name);

    /** Makes daemon threads called {@code name}, numbered. */
    ThreadFactory threads(String name);

    /** Unpredictable numbers, fit for lease ids. */
    RandomGenerator random();

    /** The environment of a real process. */
    static Environment system() {
        return SystemEnvironment.INSTANCE;
    }
}
