package io.interlock.store.sqlite;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;

/** The real environment with a wall clock that a test sets. */
class SetClock implements Environment {

    private final Environment real = Environment.system();
    private volatile Instant wall;

    SetClock(String wall) {
        this.wall = Instant.parse(wall);
    }

    void set(String time) {
        wall = Instant.parse(time);
    }

    @Override
    public InstantSource clock() {
        return () -> wall;
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
