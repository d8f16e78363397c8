package io.interlock.store.redis;

import io.interlock.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * The time one operation may take. Interrupting its thread does not shorten it, because the step may already have
 * taken effect; the interrupt flag is restored at the end.
 *
 * <p>Not thread-safe.
 */
final class CallDeadline implements AutoCloseable {

    private final Ticker ticker;
    private final long deadline;
    private boolean interrupted;

    CallDeadline(Ticker ticker, Duration timeout) {
        this.ticker = ticker;
        this.deadline = ticker.nanos() + timeout.toNanos();
    }

    /** Nanoseconds left; zero or less once it is over. */
    long remaining() {
        return deadline - ticker.nanos();
    }

    <T> T await(Future<T> future) throws ExecutionException, TimeoutException {
        while (true) {
            try {
                return future.get(Math.max(0, remaining()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException whileWaiting) {
                interrupted = true;
            }
        }
    }

    /** Sleeps, but not beyond the deadline. */
    void pause(Duration time) {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(Math.min(time.toNanos(), remaining()));
    }

    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
