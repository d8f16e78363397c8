package io.interlock.spi.run;

import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of workers: learn of runs, claim them, renew their leases, store their output, finish them. See
 * {@link RunStore} for the general rules.
 */
public interface WorkSteps {

    /**
     * Calls {@code lookAgain} whenever a run of {@code tenant}, or of any tenant if {@code null}, may have become
     * claimable. It is called on a thread of the store and must not block. Like those of {@link ChangeFeed}, these
     * wake-ups are hints.
     */
    ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain);

    /** Claims runs that may start, the highest effective priority first, then the lowest number. */
    List<Claimed> claim(ClaimRequest request);

    /** Renews the leases of runs, and stores their reports. */
    Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests);

    /**
     * Replaces the stored end of the output of an attempt. That of earlier attempts stays, up to
     * {@value OutputNote#MOST_ATTEMPTS} of them.
     *
     * @return whether lease id and token belong to the run's current or last attempt; if not, nothing was changed
     */
    boolean keepOutput(OutputNote note);

    /**
     * Ends attempts; the next run in the queue gets the key in the same step. A repeated finish gets the first answer
     * until the run begins another attempt; after that its lease is gone. Where {@link #claimsNext}, a worker may take
     * that next run by the same step.
     */
    Answers<FinishAnswer> finish(List<FinishRequest> requests);

    /** Whether a finish takes the next run of its key for its worker, if asked to. */
    boolean claimsNext();
}
