package io.interlock.time;

import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;

/** Passes everything on to another environment; a subclass replaces what it wants. As safe for use by many threads as that one. */
public class ForwardingEnvironment implements Environment {

    private final Environment real;

    public ForwardingEnvironment(Environment real) {
        this.real = real;
    }

    @Override
    public InstantSource clock() {
        return real.clock();
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
