package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Progress;
import io.interlock.run.RunTexts;
import org.jspecify.annotations.Nullable;

/**
 * "I am alive, and still have the right": renews the lease by the run's ttl, and reports.
 *
 * @param run the run
 * @param key its key
 * @param lease the grant's name
 * @param token the grant's token
 * @param stage the part of the work it is at, or {@code null} if it says nothing about it
 * @param progress how far it is, or {@code null} if it says nothing about it
 */
public record HeartbeatRequest(
        RunId run,
        LockKey key,
        LeaseId lease,
        FencingToken token,
        @Nullable String stage,
        @Nullable Progress progress) {

    /** Checks the stage. */
    public HeartbeatRequest {
        if (stage != null) {
            RunTexts.require("stage", stage, "name the part of the work in one line");
        }
    }
}
