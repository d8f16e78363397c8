package io.interlock.locks.internal;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.locks.LeaseOptions;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.AcquireRequest.Takeover;
import java.util.Map;

/**
 * What one caller wants.
 *
 * @param request for the store; its id is the same however often it is asked
 * @param options how the lease is to be held
 * @param owner the id of the thread that waits for the answer, or 0 if none does
 */
record PendingAcquire(AcquireRequest request, LeaseOptions options, long owner) {

    /** The same, by somebody who will wait for a wake-up. */
    PendingAcquire waiting() {
        return new PendingAcquire(request.waiting(), options, owner);
    }

    /** The same under another id. */
    PendingAcquire named(LeaseId id) {
        return new PendingAcquire(
                new AcquireRequest(
                        request.keys(), id, request.holder(), request.terms(), request.waits(), request.takeover()),
                options,
                owner);
    }

    /** The request, once these leases have been looked after. */
    AcquireRequest cleared(Map<LockKey, FencingToken> tokens) {
        return options.takeoverProbe().isPresent() ? request.taking(Takeover.onlyCleared(tokens)) : request;
    }
}
