package io.interlock.locks.internal;

import io.interlock.LockKey;
import io.interlock.locks.Acquisition;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Somebody who waits for its turn without a thread. */
final class AsyncWait {

    private final LocksRuntime runtime;
    private final PendingAcquire ask;

    AsyncWait(LocksRuntime runtime, PendingAcquire ask) {
        this.runtime = runtime;
        this.ask = ask;
    }

    /** One look. */
    CompletionStage<Acquisition> once() {
        AcquireWaiter turn = runtime.lines().turn(ask, runtime.threads());
        look(turn, false);
        return turn.result();
    }

    /** As many looks as it takes. */
    CompletionStage<Acquisition> upTo(Duration maxWait) {
        LockKey busy = runtime.lines().busy(ask.request().keys());
        AcquireWaiter turn = runtime.lines().turn(ask, maxWait, runtime.threads());
        if (busy == null) {
            look(turn, true);
        } else {
            runtime.lines().join(turn, busy);
        }
        return turn.result();
    }

    private void look(AcquireWaiter turn, boolean waits) {
        runtime.acquirer().lookAsync(ask).whenComplete((acquisition, failure) -> {
            if (failure != null) {
                turn.fail(Futures.cause(failure));
            } else if (waits && acquisition instanceof Acquisition.Refused refused) {
                turn.refused(refused.refusal());
                runtime.lines().join(turn, refused.refusal().key());
            } else {
                turn.settle(acquisition, runtime.leases());
            }
        });
    }
}
