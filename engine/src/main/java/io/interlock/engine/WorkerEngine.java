package io.interlock.engine;

import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.run.Run;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps;
import io.interlock.time.LocalTime.Moment;

/**
 * Workers that do runs, and stop when they must. Who submits those runs, who waits for them and who tidies up after them is the business
 * of others: of a {@link RunEngine}, which is one of these and all the rest. Safe for use by many threads.
 */
public interface WorkerEngine extends AutoCloseable {

    /** Sets up workers that take their runs from {@code source}. */
    static WorkerBuilder builder(WorkSource source) {
        return new WorkerBuilder(source);
    }

    Status workers();

    /** How many events listeners have missed so far because they were too slow. */
    long missedEvents();

    Jobs jobs();

    /**
     * Takes no more work. Work under way goes on, with its heartbeats, up to the drain time; then it is told to stop, and whatever has
     * not stopped after its grace is left for its lease to end: nothing is released under work that may still run. An interrupt ends
     * the waiting, not the closing. May be called twice.
     */
    @Override
    void close();

    /**
     * How the workers of an engine stand.
     *
     * @param stuck how many of those by work that was told to stop and does not
     */
    record Status(int slots, int busy, int stuck, boolean claiming) {

        /** How many runs could be taken now. */
        public int free() {
            return slots - busy;
        }
    }

    /**
     * Workers, and runs whose work callers in this process do. The leases of both are kept alive until the work has ended. Safe for use by
     * many threads.
     */
    interface CallerEngine extends WorkerEngine {

        /**
         * Takes in a run that was granted to its caller.
         *
         * @param before taken before the request was sent that brought the grant
         * @throws EngineClosedException if the engine was closed in the meantime; the run is given back
         */
        CallerRun adopt(Run run, LeaseRecord lease, Moment before);

        /**
         * The place in the queue of {@code run}.
         *
         * @param lease the id of the grant that is asked for
         */
        CallerTurn turn(Run run, LeaseId lease);
    }

    /**
     * Where workers take runs from, and tell what becomes of them: all that they ask of a store, or of a server in front
     * of one.
     *
     * @param stops wake-ups about runs that have to stop; without them workers learn of it by their heartbeats
     * @param parallelBatches how many batches of endings it serves best at once
     */
    record WorkSource(WorkSteps steps, ChangeFeed stops, int parallelBatches) {

        public static WorkSource of(RunStore store) {
            return new WorkSource(
                    store.work(),
                    (key, look) -> store.changes().watch(key, look),
                    store.capabilities().parallelBatches());
        }
    }
}
