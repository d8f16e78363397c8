package io.interlock.spi.run;

import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.spi.Answers;
import java.util.List;

/** The steps of workers: claim runs, renew their leases, finish them. See {@link RunStore} for the general rules. */
public interface WorkSteps {

    /** Claims runs that may start, the highest effective priority first, then the lowest number. */
    List<Claimed> claim(ClaimRequest request);

    /** Renews the leases of runs, and stores their reports. */
    Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests);

    /**
     * Ends attempts; the next run in the queue gets the key in the same step. A repeated finish gets the first answer
     * until the run begins another attempt; after that its lease is gone. Where {@link #claimsNext}, a worker may take
     * that next run by the same step.
     */
    Answers<FinishAnswer> finish(List<FinishRequest> requests);

    /** Whether a finish takes the next run of its key for its worker, if asked to. */
    default boolean claimsNext() {
        return false;
    }
}
