package io.interlock.tck;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Time that advances only on request, and no randomness: two stores with it must answer the same. */
public final class StandingTime implements Environment {

    private static final double CHANCE = 0.5;

    private final Environment real = Environment.system();
    private volatile Instant now = real.clock().instant().truncatedTo(ChronoUnit.SECONDS);

    /** Advances the time. */
    void pass(Duration time) {
        now = now.plus(time);
    }

    /** The time. */
    public Instant now() {
        return now;
    }

    @Override
    public InstantSource clock() {
        return () -> now;
    }

    @Override
    public Ticker ticker() {
        return () -> TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    @Override
    public Timers timers(String name) {
        return real.timers(name);
    }

    @Override
    public ThreadFactory threads(String name) {
        return real.threads(name);
    }

    @Override
    public RandomGenerator random() {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                return real.random().nextLong();
            }

            @Override
            public double nextDouble() {
                return CHANCE;
            }
        };
    }
}
