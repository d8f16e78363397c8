package io.interlock.time;

/** Monotonic time of this process, for measuring how long something took. Only differences mean anything. */
@FunctionalInterface
public interface Ticker {

    /** Nanoseconds since some fixed moment. */
    long nanos();
}
