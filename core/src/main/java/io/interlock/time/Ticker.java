package io.interlock.time;

/** Monotonic time of this process, for measuring durations. Only differences are meaningful. */
@FunctionalInterface
public interface Ticker {

    /** Nanoseconds since some fixed moment. */
    long nanos();
}
