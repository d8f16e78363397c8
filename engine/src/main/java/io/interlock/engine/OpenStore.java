package io.interlock.engine;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.access.AccessKey;
import io.interlock.access.SignIn;
import io.interlock.access.SignIns;
import io.interlock.access.SignIns.SignInList;
import io.interlock.engine.access.KeyRing;
import io.interlock.locks.Locks;
import io.interlock.run.AuditRecord;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.spi.run.AccessKeys;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.Upkeep;
import io.interlock.time.Environment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
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
    private final AccessKeys keys;
    private final SignIns signIns;
    private final boolean keepsRuns;
    private final Environment environment;

    private OpenStore(RunStore store, Environment environment) {
        this.store = store;
        this.keys = store.accessKeys();
        this.signIns = store.signIns();
        this.keepsRuns = true;
        this.environment = environment;
    }

    private OpenStore(RunStore leases, GivenKeys given, Environment environment) {
        this.store = leases;
        this.keys = given;
        this.signIns = given;
        this.keepsRuns = false;
        this.environment = environment;
    }

    /**
     * Opens the store at {@code url}.
     *
     * @throws InvalidSettingException if it keeps leases only, or the URL is wrong
     * @throws StoreUnavailableException if it does not answer
     */
    public static OpenStore at(String url, Environment environment) {
        LeaseStore store = Stores.open(url, environment);
        if (store instanceof RunStore runs) {
            return new OpenStore(runs, environment);
        }
        store.close();
        throw EngineBuilder.leasesOnly(store);
    }

    /**
     * Opens the store at {@code url}, also one that keeps leases only. An engine on such a one passes on steps of bare leases, sweeps, and
     * does nothing else; its API keys are those that this process is given, and sign-ins end with it.
     *
     * @throws InvalidSettingException if the URL is wrong
     * @throws StoreUnavailableException if it does not answer
     */
    public static OpenStore openLeaseOnly(String url, Environment environment) {
        LeaseStore store = Stores.open(url, environment);
        return store instanceof RunStore runs
                ? new OpenStore(runs, environment)
                : new OpenStore(
                        LeasesAlone.of(store, environment.clock()), new GivenKeys(environment.clock()), environment);
    }

    /** The same store with something around it, such as meters that time its steps. */
    public OpenStore through(UnaryOperator<RunStore> around) {
        RunStore inner = around.apply(store);
        return keys instanceof GivenKeys given
                ? new OpenStore(inner, given, environment)
                : new OpenStore(inner, environment);
    }

    /** Adds records of what changed nothing to its audit log; empty if it keeps leases only. It blocks. */
    public Optional<Consumer<List<AuditRecord>>> audit() {
        return keepsRuns ? Optional.of(store.audit()::append) : Optional.empty();
    }

    /** Whether it keeps runs, or leases only. */
    public boolean keepsRuns() {
        return keepsRuns;
    }

    /** What the store can do. */
    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    /** Sets up an engine on it. */
    public EngineBuilder engine() {
        EngineBuilder builder = RunEngine.builder(store).environment(environment);
        return keepsRuns ? builder : builder.slots(0).withoutBooks();
    }

    /** Locks on it, in the same key space as the runs. */
    public Locks locks() {
        return Locks.builder(store).environment(environment).build();
    }

    /**
     * The API keys it knows.
     *
     * @param blocking where it is asked
     */
    public KeyRing keys(Executor blocking) {
        return new KeyRing(keys, environment, blocking);
    }

    /** The sign-ins it keeps. It blocks. */
    public SignIns signIns() {
        return signIns;
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
     * API keys that this process was given, and sign-ins here, for a store that keeps none. They are forgotten with the process, and no
     * other process knows them. Safe for use by many threads.
     */
    private static final class GivenKeys implements AccessKeys, SignIns {

        private final ConcurrentMap<String, AccessKey> keys = new ConcurrentHashMap<>();
        private final SignInList signIns = new SignInList();
        private final InstantSource clock;

        /** None yet. */
        GivenKeys(InstantSource clock) {
            this.clock = clock;
        }

        @Override
        public AccessKey addKey(AccessKey key, Actor actor) {
            AccessKey known = keys.putIfAbsent(key.id(), key);
            if (known != null && !known.hash().equals(key.hash())) {
                throw new InvalidSettingException("key id", key.id(), "is that of another key", "draw another");
            }
            return known == null ? key : known;
        }

        @Override
        public Optional<AccessKey> findKey(String id) {
            return Optional.ofNullable(keys.get(id));
        }

        @Override
        public List<AccessKey> listKeys(@Nullable String tenant) {
            return keys.values().stream()
                    .filter(key -> tenant == null || key.tenant().equals(tenant))
                    .sorted(Comparator.comparing(AccessKey::createdAt).thenComparing(AccessKey::id))
                    .toList();
        }

        @Override
        public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
            return Optional.ofNullable(keys.computeIfPresent(
                    id, (same, key) -> key.revoked().isPresent() ? key : key.revoked(clock.instant())));
        }

        @Override
        public void keysUsed(SortedSet<String> ids) {
            ids.forEach(id -> keys.computeIfPresent(id, (same, key) -> key.used(clock.instant())));
        }

        @Override
        public SignIn openSignIn(SignIn signIn) {
            return signIns.open(signIn, clock.instant());
        }

        @Override
        public Optional<SignIn> findSignIn(String hash, boolean used) {
            return signIns.find(hash, used, clock.instant());
        }

        @Override
        public Optional<SignIn> closeSignIn(String hash) {
            return signIns.close(hash, clock.instant());
        }
    }

    /**
     * A store of leases as an engine sees it. Leases are the store's own. There are no runs: who looks for some finds none, and a step
     * that would make one is refused. Safe for use by many threads.
     */
    private static final class LeasesAlone implements InvocationHandler {

        private final LeaseStore leases;
        private final InstantSource clock;

        private LeasesAlone(LeaseStore leases, InstantSource clock) {
            this.leases = leases;
            this.clock = clock;
        }

        /**
         * What an engine can stand on.
         *
         * @param clock tells the time where no lease does
         */
        static RunStore of(LeaseStore leases, InstantSource clock) {
            return (RunStore) new LeasesAlone(leases, clock).as(RunStore.class);
        }

        private Object as(Class<?> part) {
            return Proxy.newProxyInstance(part.getClassLoader(), new Class<?>[] {part}, this);
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getDeclaringClass().isInstance(leases)) {
                try {
                    return method.invoke(leases, arguments);
                } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                }
            }
            if (method.getDeclaringClass() == RunStore.class) {
                return as(method.getReturnType());
            }
            return switch (method.getName()) {
                case "keys" -> keys((KeyQuery) Objects.requireNonNull(arguments)[0]);
                case "storeTime" -> clock.instant();
                case "forget" -> new Upkeep.Forgotten(0, 0);
                case "watchWork" -> (ChangeFeed.Subscription) () -> {};
                default -> nothing(method);
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
