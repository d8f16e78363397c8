package io.interlock.benchmark.measure;

import java.time.Duration;

/**
 * How long and how often is measured.
 *
 * @param rounds how often each contender has its turn
 * @param leadIn how long a contender runs before its time counts
 * @param time how long its time counts
 * @param quick whether this is only to see that everything works
 */
public record Pace(int rounds, Duration leadIn, Duration time, boolean quick) {

    /** To compare. */
    public static final Pace FULL = new Pace(3, Duration.ofMillis(400), Duration.ofMillis(2500), false);

    /** To see that everything works, and roughly how fast. */
    public static final Pace QUICK = new Pace(1, Duration.ofMillis(300), Duration.ofMillis(1000), true);

    private static final int SLICES = 7;

    /** Once for each contender, so that its code is compiled before its time counts. */
    public Pace warmUp() {
        return new Pace(1, Duration.ZERO, span(Duration.ofSeconds(12), Duration.ofSeconds(2)), quick);
    }

    /** Before each turn in an empty database, so that its tables have some rows and its plans are made. */
    public Pace filling() {
        return new Pace(1, Duration.ZERO, span(Duration.ofSeconds(2), Duration.ofMillis(700)), quick);
    }

    /**
     * Shorter turns and more of them, for what stays open meanwhile: load that comes and goes then hits all contenders alike,
     * and the median leaves out the worst.
     */
    public Pace sliced() {
        return quick ? this : new Pace(SLICES, leadIn, Duration.ofSeconds(1), false);
    }

    /** A short one, for what is counted and not timed. */
    public Pace counting() {
        return new Pace(1, Duration.ofMillis(300), Duration.ofMillis(500), quick);
    }

    /** {@code full}, or fewer if this is quick. */
    public int steps(int full, int fewer) {
        return quick ? fewer : full;
    }

    /** {@code full}, or shorter if this is quick. */
    public Duration span(Duration full, Duration shorter) {
        return quick ? shorter : full;
    }
}
