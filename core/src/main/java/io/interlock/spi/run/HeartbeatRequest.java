package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Progress;
import io.interlock.run.RunTexts;
import org.jspecify.annotations.Nullable;

/**
 * Renews the lease by the run's ttl, and reports stage and progress.
 *
 * @param stage the current stage, or {@code null} for no report
 * @param progress the progress, or {@code null} for no report
 */
public record HeartbeatRequest(
        RunId run,
        LockKey key,
        LeaseId lease,
        FencingToken token,
        @Nullable String stage,
        @Nullable Progress progress) {

    public HeartbeatRequest {
        if (stage != null) {
            RunTexts.require("stage", stage, "name the part of the work in one line");
        }
    }
}
