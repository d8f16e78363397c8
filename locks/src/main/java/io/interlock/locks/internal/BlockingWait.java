package io.interlock.locks.internal;

import io.interlock.LockKey;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.time.Moment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A thread that waits for its turn. If nobody is in line before it, its first look is its own. */
final class BlockingWait {

    private final LocksRuntime runtime;
    private final PendingAcquire ask;
    private final Duration maxWait;

    BlockingWait(LocksRuntime runtime, PendingAcquire ask, Duration maxWait) {
        this.runtime = runtime;
        this.ask = ask;
        this.maxWait = maxWait;
    }

    Acquisition run() throws InterruptedException {
        Moment began = runtime.time().now();
        LockKey busy = runtime.lines().busy(ask.request().keys());
        if (busy == null || maxWait.isZero()) {
            Acquisition first = runtime.acquirer().look(ask);
            Duration left = maxWait.minusNanos(runtime.time().elapsed(began));
            if (!(first instanceof Acquisition.Refused refused) || left.isNegative() || left.isZero()) {
                return first;
            }
            AcquireWaiter turn = runtime.lines().turn(ask, left, Runnable::run);
            turn.refused(refused.refusal());
            return await(turn, refused.refusal().key());
        }
        return await(runtime.lines().turn(ask, maxWait, Runnable::run), busy);
    }

    private Acquisition await(AcquireWaiter turn, LockKey key) throws InterruptedException {
        CompletableFuture<Acquisition> result = turn.result();
        runtime.lines().join(turn, key);
        try {
            return result.get();
        } catch (InterruptedException interrupted) {
            // Leaves the line, unless the turn came at this very moment: then what was granted goes back.
            if (!result.cancel(false) && !result.isCompletedExceptionally()) {
                result.join().lease().ifPresent(Lease::close);
            }
            throw interrupted;
        } catch (ExecutionException failure) {
            throw Futures.unchecked(Futures.cause(failure));
        }
    }
}
