package io.interlock.engine;

import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.run.Run;
import io.interlock.time.LocalTime.Moment;

/**
 * Workers, and runs whose work callers in this process do. The leases of both are kept alive until the work has ended. Safe for use by
 * many threads.
 */
public interface CallerEngine extends WorkerEngine {

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
