package io.interlock.engine;

import io.interlock.InvalidSettingException;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.access.SignIns;
import io.interlock.engine.access.KeyRing;
import io.interlock.run.AuditRecord;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.Upkeep;
import io.interlock.time.Environment;
import io.interlock.time.ForwardingEnvironment;
import io.interlock.time.LocalTime;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A store that was opened once, for all that a process builds on it: an engine, locks, API keys. Close it after those.
 *
 * <p>Safe for use by many threads.
 */
public final class OpenStore implements AutoCloseable {

    private static final LockKey UNUSED_KEY = LockKey.of("interlock", "ready");

    private final RunStore store;
    private final boolean keepsRuns;
    private final Environment environment;

    private OpenStore(RunStore store, boolean keepsRuns, Environment environment) {
        this.store = store;
        this.keepsRuns = keepsRuns;
        this.environment = environment;
    }

    /**
     * Opens the store at {@code url}.
     *
     * @throws InvalidSettingException if it keeps leases only, or the URL is wrong
     * @throws StoreUnavailableException if it does not answer
     */
    public static OpenStore at(String url, Environment environment) {
        return new OpenStore(EngineBuilder.keepingRuns(Stores.open(url, environment)), true, environment);
    }

    /**
     * Opens the store at {@code url}, also one that keeps leases only. An engine on such a one passes on steps of bare leases, sweeps, and
     * does nothing else; its API keys are those that this process is given, and sign-ins end with it.
     *
     * @throws InvalidSettingException if the URL is wrong, or {@code interlock-store-memory} is missing, which keeps keys and sign-ins
     * @throws StoreUnavailableException if it does not answer
     */
    public static OpenStore openLeaseOnly(String url, Environment environment) {
        LeaseStore store = Stores.open(url, environment);
        if (store instanceof RunStore runs) {
            return new OpenStore(runs, true, environment);
        }
        try {
            return new OpenStore(LeasesAlone.of(store, url, environment), false, environment);
        } catch (RuntimeException | Error failure) {
            store.close();
            throw failure;
        }
    }

    /** The same store with something around it, such as meters that time its steps. */
    public OpenStore through(UnaryOperator<RunStore> around) {
        return new OpenStore(around.apply(store), keepsRuns, environment);
    }

    /** Adds records of what changed nothing to its audit log; empty if it keeps leases only. It blocks. */
    public Optional<Consumer<List<AuditRecord>>> audit() {
        return keepsRuns ? Optional.of(store.audit()::append) : Optional.empty();
    }

    public boolean keepsRuns() {
        return keepsRuns;
    }

    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    public EngineBuilder engine() {
        EngineBuilder builder = RunEngine.builder(store).environment(environment);
        return keepsRuns ? builder : builder.slots(0).withoutBooks();
    }

    public KeyRing keys(Executor blocking) {
        return new KeyRing(store.accessKeys(), environment, blocking);
    }

    /** The sign-ins it keeps. It blocks. */
    public SignIns signIns() {
        return store.signIns();
    }

    /**
     * Asks it something small.
     *
     * @throws StoreUnavailableException if it does not answer clearly
     */
    public void ask() {
        store.find(List.of(UNUSED_KEY));
    }

    @Override
    public void close() {
        store.close();
    }

    /**
     * A store of leases as an engine sees it. Leases are the store's own; API keys and sign-ins are kept in memory, so they are forgotten with
     * the process and no other process knows them. There are no runs: a look for some finds none, and a step that would make one is
     * refused. Safe for use by many threads.
     */
    private record LeasesAlone(LeaseStore leases, RunStore memory, InstantSource clock) implements InvocationHandler {

        static RunStore of(LeaseStore leases, String url, Environment environment) {
            try {
                RunStore memory = (RunStore) Stores.open("memory:", new SleeplessTime(environment));
                return (RunStore) new LeasesAlone(leases, memory, environment.clock()).as(RunStore.class);
            } catch (InvalidSettingException missing) {
                throw new InvalidSettingException(
                        "store",
                        StoreUrl.parse(url),
                        "keeps leases only, and there is no store in memory for API keys and sign-ins",
                        "add interlock-store-memory to the class path");
            }
        }

        private Object as(Class<?> part) {
            return Proxy.newProxyInstance(part.getClassLoader(), new Class<?>[] {part}, this);
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getDeclaringClass().isInstance(leases)) {
                if (method.getName().equals("close")) {
                    memory.close();
                }
                try {
                    return method.invoke(leases, arguments);
                } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                }
            }
            return switch (method.getName()) {
                case "accessKeys" -> memory.accessKeys();
                case "signIns" -> memory.signIns();
                case "keys" -> keys((KeyQuery) Objects.requireNonNull(arguments)[0]);
                case "storeTime" -> clock.instant();
                case "forget" -> new Upkeep.Forgotten(0, 0);
                case "watchWork" -> (ChangeFeed.Subscription) () -> {};
                default -> method.getDeclaringClass() == RunStore.class ? as(method.getReturnType()) : nothing(method);
            };
        }

        private List<KeyView> keys(KeyQuery query) {
            LockKey after = query.after() == null ? null : LockKey.of(query.tenant(), query.after());
            return leases.list(new LeaseQuery(query.tenant(), query.prefix(), after, query.limit())).leases().stream()
                    .map(LeasesAlone::view)
                    .toList();
        }

        private static KeyView view(LeaseRecord lease) {
            return new KeyView(lease.key(), lease, null, 0, null, null, lease.observedAt());
        }

        /** Counts the time that the machine sleeps: a store in memory goes by the ticker, and a sign-in must end all the same. */
        private static final class SleeplessTime extends ForwardingEnvironment {

            private final LocalTime time;
            private final LocalTime.Moment start;
            private final AtomicLong latest = new AtomicLong();

            SleeplessTime(Environment environment) {
                super(environment);
                time = new LocalTime(environment);
                start = time.now();
            }

            @Override
            public Ticker ticker() {
                // The wall clock may be set back.
                return () -> latest.accumulateAndGet(time.elapsed(start), Math::max);
            }
        }

        private Object nothing(Method method) {
            if (method.getReturnType() == List.class) {
                return List.of();
            }
            if (method.getReturnType() == Optional.class) {
                return Optional.empty();
            }
            throw new IllegalStateException(
                    leases.capabilities().store() + " keeps leases only; there is no " + method.getName() + " on it");
        }
    }
}
