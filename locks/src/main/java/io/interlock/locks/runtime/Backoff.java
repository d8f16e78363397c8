package io.interlock.locks.runtime;

import io.interlock.time.LocalTime;
import java.time.Duration;

/** The pauses between tries: the first, doubled up to the longest, give or take a fifth. Not safe for use by many threads at once. */
public final class Backoff {

    /** The first pause after a call that the store did not answer. */
    public static final Duration FIRST = Duration.ofMillis(200);

    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final double SPREAD = 0.2;

    private final LocalTime time;
    private final Duration longest;
    private Duration pause;

    /** The pauses between tries of a call that the store did not answer: 200 ms, doubled up to 5 s. */
    public Backoff(LocalTime time) {
        this(time, FIRST, LONGEST);
    }

    public Backoff(LocalTime time, Duration first, Duration longest) {
        this.time = time;
        this.longest = longest;
        this.pause = first;
    }

    /** The pause before the next try. */
    public Duration next() {
        Duration current = pause;
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(longest) > 0 ? longest : doubled;
        return time.jittered(current, SPREAD);
    }
}
