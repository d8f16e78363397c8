package io.interlock.spi.run;

import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.spi.Answers;
import java.util.List;

/** The steps of whoever does the work: takes runs, keeps their leases alive, says how they ended. As for {@link RunStore}. */
public interface WorkSteps {

    /** Takes runs whose turn it is, the highest effective priority first, then the lowest number. */
    List<Claimed> claim(ClaimRequest request);

    /** Renews the leases of runs, and reports. */
    Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests);

    /**
     * Ends attempts; the next in line has the key in the same step. An ending sent again is answered as the first time until
     * the run begins another attempt; after that its lease is gone.
     */
    Answers<FinishAnswer> finish(List<FinishRequest> requests);
}
