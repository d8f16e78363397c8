package io.interlock.engine.command;

import io.interlock.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for something although the thread is interrupted: it was told to stop, and this is how it stops. */
final class UninterruptibleWait {

    private final Ticker ticker;

    UninterruptibleWait(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Whether {@code future} came to an end within {@code most}. An interrupt meanwhile is kept for later. */
    boolean await(Future<?> future, Duration most) {
        long deadline = ticker.nanos() + most.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    future.get(deadline - ticker.nanos(), TimeUnit.NANOSECONDS);
                    return true;
                } catch (TimeoutException tooLong) {
                    return false;
                } catch (ExecutionException ended) {
                    return true;
                } catch (InterruptedException again) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
