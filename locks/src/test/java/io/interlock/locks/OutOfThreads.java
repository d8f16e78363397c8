package io.interlock.locks;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;

/**
 * An environment in which threads of one name cannot start, as on a machine that has no more of them.
 *
 * @param rest everything else
 * @param name whose threads do not start
 */
record OutOfThreads(Environment rest, String name) implements Environment {

    @Override
    public InstantSource clock() {
        return rest.clock();
    }

    @Override
    public Ticker ticker() {
        return rest.ticker();
    }

    @Override
    public Timers timers(String name) {
        return rest.timers(name);
    }

    @Override
    public ThreadFactory threads(String name) {
        return name.equals(this.name) ? Stillborn::new : rest.threads(name);
    }

    @Override
    public RandomGenerator random() {
        return rest.random();
    }

    private static final class Stillborn extends Thread {
        Stillborn(Runnable task) {
            super(task);
        }

        @Override
        public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }
}
