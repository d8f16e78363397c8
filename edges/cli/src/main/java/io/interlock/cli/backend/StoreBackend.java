package io.interlock.cli.backend;

import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.time.Environment;
import java.time.Duration;

/**
 * Straight on a store of runs. Its engine takes no work and keeps no books, so that a short command starts soon; a long one
 * sweeps now and then, for there may be no server that does.
 */
public final class StoreBackend implements Backend {

    private static final Duration SWEEP_EVERY = Duration.ofMinutes(1);
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final RunEngine engine;

    private StoreBackend(RunEngine engine) {
        this.engine = engine;
    }

    /**
     * Opens a store.
     *
     * @param job the work of {@code interlock run}, so that the engine waits for it as long as it may take to stop
     */
    public static StoreBackend open(String url, Job job, Environment environment) {
        return new StoreBackend(RunEngine.builder(url)
                .environment(environment)
                .jobs(Jobs.of(job))
                .slots(0)
                .withoutBooks()
                .sweepEvery(SWEEP_EVERY)
                .drainTime(LAST_WORDS)
                .build());
    }

    @Override
    public Door door() {
        return new EngineDoor(engine);
    }

    @Override
    public void close() {
        engine.close();
    }
}
