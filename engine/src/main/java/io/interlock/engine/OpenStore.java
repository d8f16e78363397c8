package io.interlock.engine;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.access.GivenKeys;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.internal.LeasesAlone;
import io.interlock.locks.Locks;
import io.interlock.run.AuditRecord;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.spi.run.AccessKeys;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A store that was opened once, for all that a process builds on it: an engine, locks, API keys. Close it after those.
 *
 * <p>Safe for use by many threads.
 */
public final class OpenStore implements AutoCloseable {

    private static final LockKey NOBODYS = LockKey.of("interlock", "ready");

    private final RunStore store;
    private final AccessKeys keys;
    private final boolean keepsRuns;
    private final Environment environment;

    private OpenStore(RunStore store, AccessKeys keys, boolean keepsRuns, Environment environment) {
        this.store = store;
        this.keys = keys;
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
        LeaseStore store = Stores.open(url, environment);
        if (store instanceof RunStore runs) {
            return new OpenStore(runs, runs, true, environment);
        }
        store.close();
        throw EngineBuilder.leasesOnly(store);
    }

    /**
     * Opens the store at {@code url}, also one that keeps leases only. An engine on such a one passes on steps of bare leases, sweeps, and
     * does nothing else; its API keys are those that this process is given.
     *
     * @throws InvalidSettingException if the URL is wrong
     * @throws StoreUnavailableException if it does not answer
     */
    public static OpenStore openLeaseOnly(String url, Environment environment) {
        LeaseStore store = Stores.open(url, environment);
        return store instanceof RunStore runs
                ? new OpenStore(runs, runs, true, environment)
                : new OpenStore(
                        LeasesAlone.of(store, environment.clock()),
                        new GivenKeys(environment.clock()),
                        false,
                        environment);
    }

    /** The same store with something around it, such as meters that time its steps. */
    public OpenStore through(UnaryOperator<RunStore> around) {
        RunStore inner = around.apply(store);
        return new OpenStore(inner, keepsRuns ? inner : keys, keepsRuns, environment);
    }

    /** Adds records of what changed nothing to its audit log; empty if it keeps leases only. It blocks. */
    public Optional<Consumer<List<AuditRecord>>> audit() {
        return keepsRuns ? Optional.of(store::append) : Optional.empty();
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

    /**
     * Asks it something small.
     *
     * @throws StoreUnavailableException if it does not answer clearly
     */
    public void ask() {
        store.find(List.of(NOBODYS));
    }

    @Override
    public void close() {
        store.close();
    }
}
