package io.interlock.store.memory;

import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.RunStoreHarness;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A store in this process whose time can be advanced. */
public final class MemoryHarness implements RunStoreHarness {

    private final PushedTime time = new PushedTime();
    private final Function<StoreClock, RunTable> tables;
    private final BiFunction<Environment, RunTable, RunStore> clients;
    private volatile RunTable table;

    /** A harness of an empty store. */
    public MemoryHarness() {
        this(MemoryHarness::table, MemoryStore::new);
    }

    /** A harness of a store with other rules, or of clients with other rules. */
    MemoryHarness(Function<StoreClock, RunTable> tables, BiFunction<Environment, RunTable, RunStore> clients) {
        this.tables = tables;
        this.clients = clients;
        table = tables.apply(new StoreClock(time));
    }

    static RunTable table(StoreClock clock) {
        return new RunTable(
                clock, MemoryStore.DEFAULT_MAX_LEASE, Environment.system().random());
    }

    /** Clients whose part of that type is another. */
    static <P> BiFunction<Environment, RunTable, RunStore> other(Class<P> type, Function<MemoryClient, P> part) {
        return (environment, table) -> {
            MemoryStore store = new MemoryStore(environment, table);
            P other = part.apply(store.client());
            return (RunStore) Proxy.newProxyInstance(
                    RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                        try {
                            return method.getReturnType() == type ? other : method.invoke(store, arguments);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        };
    }

    /** Clients of which one step is answered in another way. */
    static BiFunction<Environment, RunTable, RunStore> answering(
            String step, BiFunction<MemoryStore, InterceptedStore.Call, @Nullable Object> answer) {
        return (environment, table) -> {
            MemoryStore store = new MemoryStore(environment, table);
            return InterceptedStore.of(
                    store,
                    RunStore.class,
                    call -> call.step().equals(step) ? answer.apply(store, call) : call.proceed());
        };
    }

    @Override
    public RunStore open(Environment environment) {
        return clients.apply(environment, table);
    }

    @Override
    public void advance(Duration duration) {
        time.pushed.addAndGet(duration.toNanos());
    }

    @Override
    public void reset() {
        table = tables.apply(new StoreClock(time));
    }

    @Override
    public void close() {}

    /** The real environment with an advanced clock. */
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
