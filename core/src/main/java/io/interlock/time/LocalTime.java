package io.interlock.time;

import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Elapsed time in this process. The larger of both clocks counts: the ticker may not count the time a machine sleeps,
 * and the wall clock may be set back.
 */
public final class LocalTime {

    /** Practically unlimited, and small enough to add to without overflow. */
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    private final Ticker ticker;
    private final InstantSource clock;
    private final RandomGenerator random;

    public LocalTime(Environment environment) {
        ticker = environment.ticker();
        clock = environment.clock();
        random = environment.random();
    }

    public Moment now() {
        return new Moment(ticker.nanos(), clock.millis());
    }

    /** Nanoseconds since {@code moment}; never negative. */
    public long elapsed(Moment moment) {
        long ticked = ticker.nanos() - moment.nanos();
        long shown = TimeUnit.MILLISECONDS.toNanos(clock.millis() - moment.wallMillis());
        return Math.max(0, Math.max(ticked, shown));
    }

    /** How much further the wall clock went than the ticker since {@code moment}, in nanoseconds. */
    public long driftSince(Moment moment) {
        return TimeUnit.MILLISECONDS.toNanos(clock.millis() - moment.wallMillis()) - (ticker.nanos() - moment.nanos());
    }

    /** {@code duration}, give or take the fraction {@code spread}. */
    public Duration jittered(Duration duration, double spread) {
        double factor = 1 + spread * (2 * random.nextDouble() - 1);
        return Duration.ofNanos((long) (capped(duration).toNanos() * factor));
    }

    /** {@code duration} in nanoseconds, limited to some years. */
    public static Duration capped(Duration duration) {
        return duration.compareTo(FOR_EVER) > 0 ? FOR_EVER : duration;
    }

    /**
     * One moment, on both clocks of this process.
     *
     * @param nanos by the ticker, which may stand still while the machine sleeps
     * @param wallMillis by the wall clock, which may be set back
     */
    public record Moment(long nanos, long wallMillis) {

        /** The moment {@code time} before this one. */
        public Moment minus(Duration time) {
            return new Moment(nanos - time.toNanos(), wallMillis - time.toMillis());
        }
    }
}
