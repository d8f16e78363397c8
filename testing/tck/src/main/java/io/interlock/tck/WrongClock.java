package io.interlock.tck;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/** The environment of a real process with a wrong wall clock. Thread-safe. */
public final class WrongClock implements Environment {

    private final Environment real = Environment.system();
    private final AtomicReference<Duration> wrongBy;

    /** A clock that is ahead by {@code wrongBy}, or behind if that is negative. */
    public WrongClock(Duration wrongBy) {
        this.wrongBy = new AtomicReference<>(wrongBy);
    }

    /** Sets the clock forward by {@code more}, or back. */
    public void jump(Duration more) {
        wrongBy.updateAndGet(before -> before.plus(more));
    }

    @Override
    public InstantSource clock() {
        return () -> real.clock().instant().plus(wrongBy.get());
    }

    @Override
    public Ticker ticker() {
        return real.ticker();
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
