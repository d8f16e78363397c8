package io.interlock.engine;

import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.RunStoreHarness;
import io.interlock.time.Environment;
import io.interlock.time.Ticker;
import io.interlock.time.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** A store in this process whose time can be pushed on. */
final class MemoryHarness implements RunStoreHarness {

    private final PushedTime time = new PushedTime();
    private volatile MemoryStore store = new MemoryStore(time);

    @Override
    public RunStore open(Environment environment) {
        return store.anotherClient();
    }

    @Override
    public void advance(Duration duration) {
        time.pushed.addAndGet(duration.toNanos());
    }

    @Override
    public void reset() {
        store = new MemoryStore(time);
    }

    @Override
    public void close() {}

    /** The real environment, ahead of it by what it was pushed. */
    private static final class PushedTime implements Environment {

        private final Environment real = Environment.system();
        private final AtomicLong pushed = new AtomicLong();

        @Override
        public InstantSource clock() {
            return () -> real.clock().instant().plusNanos(pushed.get());
        }

        @Override
        public Ticker ticker() {
            return () -> real.ticker().nanos() + pushed.get();
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
}
