package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Ending;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the work of an attempt has stopped, and its outcome.
 *
 * @param next the claim by which its worker takes the next run of the key in the same step, or {@code null} if it takes
 *     none; its limit of runs has no meaning here
 */
public record FinishRequest(
        RunId run,
        LockKey key,
        LeaseId lease,
        FencingToken token,
        Ending ending,
        @Nullable ClaimRequest next) {

    /** A report of a worker that takes no further run by it. */
    public FinishRequest(RunId run, LockKey key, LeaseId lease, FencingToken token, Ending ending) {
        this(run, key, lease, token, ending, null);
    }
}
