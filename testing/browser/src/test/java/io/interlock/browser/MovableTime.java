package io.interlock.browser;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * A clock that starts in the past and is advanced by the test, so that a test has a history of minutes without waiting.
 */
final class MovableTime implements Environment {

    private final Environment real = Environment.system();
    private final AtomicLong behindMillis;

    MovableTime(Duration behind) {
        behindMillis = new AtomicLong(behind.toMillis());
    }

    /** Advances the clock, never past the present. */
    void pass(Duration time) {
        behindMillis.updateAndGet(behind -> Math.max(0, behind - time.toMillis()));
    }

    /** Advances the clock to the present. */
    void arrive() {
        behindMillis.set(0);
    }

    @Override
    public InstantSource clock() {
        return () -> real.clock().instant().minusMillis(behindMillis.get());
    }

    @Override
    public Ticker ticker() {
        return () -> real.ticker().nanos() - behindMillis.get() * 1_000_000;
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
        return real.random();
    }
}
