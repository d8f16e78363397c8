package io.interlock.cli.backend;

import io.interlock.engine.Jobs;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.run.Retention;
import java.time.Duration;

/**
 * Straight on a store of runs. Its engine takes no work and keeps no books, so that a short command starts soon; a long one
 * sweeps now and then, for there may be no server that does.
 */
public final class StoreBackend implements Backend {

    private static final Duration SWEEP_EVERY = Duration.ofMinutes(1);
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final StorePlace place;
    private final OpenStore store;
    private final RunEngine engine;

    private StoreBackend(StorePlace place, OpenStore store, RunEngine engine) {
        this.place = place;
        this.store = store;
        this.engine = engine;
    }

    /** Opens a store, for what is known of these jobs; sweeps keep history for {@code retention}. */
    public static StoreBackend open(StorePlace place, Jobs jobs, Retention retention) {
        OpenStore store = OpenStore.at(place.url(), place.environment());
        RunEngine engine = store.engine()
                .jobs(jobs)
                .slots(0)
                .withoutBooks()
                .retention(retention)
                .sweepEvery(SWEEP_EVERY)
                .drainTime(LAST_WORDS)
                .build();
        return new StoreBackend(place, store, engine);
    }

    @Override
    public KeyAcquirer acquirer() {
        return new EngineKeyAcquirer(engine, place.actor());
    }

    @Override
    public LockApi locks() {
        return new EngineLocks(engine, place.tenant(), place.actor());
    }

    @Override
    public RunApi runs() {
        return new EngineRuns(engine, place.tenant(), place.actor(), place.environment());
    }

    @Override
    public LeaseApi leases() {
        return new StoreLeases(place.url(), place.environment());
    }

    @Override
    public KeyApi keys() {
        return new StoreKeys(store.keys(Runnable::run), place.tenant(), place.actor(), place.environment());
    }

    @Override
    public AdminApi admin() {
        return new EngineAdmin(engine, place.tenant(), place.actor());
    }

    @Override
    public void close() {
        engine.close();
        store.close();
    }
}
