package io.interlock.engine;

import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps;

/**
 * Where workers take runs from, and tell what becomes of them: all that they ask of a store, or of a server in front
 * of one.
 *
 * @param steps claims runs, renews their leases, ends them
 * @param stops wake-ups about runs that have to stop; without them workers learn of it by their heartbeats
 * @param parallelBatches how many batches of endings it serves best at once
 */
public record WorkSource(WorkSteps steps, ChangeFeed stops, int parallelBatches) {

    /** The runs of {@code store}. */
    public static WorkSource of(RunStore store) {
        return new WorkSource(
                store.work(),
                (key, look) -> store.changes().watch(key, look),
                store.capabilities().parallelBatches());
    }
}
