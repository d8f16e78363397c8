package io.interlock.time;

import io.interlock.time.Environment.Ticker;
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
public final class CallDeadline implements AutoCloseable {

    private final Ticker ticker;
    private final long deadline;
    private boolean interrupted;

    /** A deadline {@code timeout} from now. */
    public CallDeadline(Ticker ticker, Duration timeout) {
        this.ticker = ticker;
        this.deadline = ticker.nanos() + timeout.toNanos();
    }

    /** Nanoseconds left; zero or less once it is over. */
    public long remaining() {
        return deadline - ticker.nanos();
    }

    /** Waits for {@code future} until the deadline. */
    public <T> T await(Future<T> future) throws ExecutionException, TimeoutException {
        while (true) {
            try {
                return future.get(Math.max(0, remaining()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException whileWaiting) {
                interrupted = true;
            }
        }
    }

    /** Sleeps, but not beyond the deadline. */
    public void pause(Duration time) {
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
