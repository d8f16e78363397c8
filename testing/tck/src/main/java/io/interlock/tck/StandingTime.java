package io.interlock.tck;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.ForwardingEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Time that advances only on request, and no randomness: two stores with it must answer the same. */
public final class StandingTime extends ForwardingEnvironment {

    private static final double CHANCE = 0.5;

    private volatile Instant now = super.clock().instant().truncatedTo(ChronoUnit.SECONDS);

    public StandingTime() {
        super(Environment.system());
    }

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
    public RandomGenerator random() {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                return StandingTime.super.random().nextLong();
            }

            @Override
            public double nextDouble() {
                return CHANCE;
            }
        };
    }
}
