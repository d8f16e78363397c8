package io.interlock.engine.handler;

import io.interlock.engine.RunContext;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for a command, and meanwhile lets it live for as long as its lease can be relied upon, and no longer. Of the last sixth of a
 * lease, which is for stopping, TERM has half; the other is for the guard, and for a machine that is slow.
 */
final class LeasedWait {

    private static final int LOOKS = 12;
    private static final int TO_STOP = 12;

    private final GuardedProcess process;
    private final RunContext context;
    private final UninterruptibleWait patience;
    private final Duration every;

    LeasedWait(GuardedProcess process, RunContext context, UninterruptibleWait patience) {
        this.process = process;
        this.context = context;
        this.patience = patience;
        this.every = lease(context).dividedBy(LOOKS);
    }

    /** How long a command that is started now may go on. */
    static Duration life(RunContext context) {
        return context.remaining().plus(toStop(context));
    }

    private static Duration toStop(RunContext context) {
        return lease(context).dividedBy(TO_STOP);
    }

    private static Duration lease(RunContext context) {
        return context.run().spec().terms().ttl();
    }

    /** Waits for the end of {@code future}. */
    void until(Future<?> future) throws InterruptedException {
        while (true) {
            extend();
            try {
                future.get(every.toNanos(), TimeUnit.NANOSECONDS);
                return;
            } catch (TimeoutException goesOn) {
                // Another word to the guard.
            } catch (ExecutionException ended) {
                return;
            }
        }
    }

    /** Whether {@code future} came to an end within {@code most}. An interrupt meanwhile is kept for later. */
    boolean until(Future<?> future, Duration most) {
        Duration left = most;
        while (left.compareTo(every) > 0) {
            extend();
            if (patience.await(future, every)) {
                return true;
            }
            left = left.minus(every);
        }
        extend();
        return patience.await(future, left);
    }

    private void extend() {
        process.liveFor(context::remaining, toStop(context));
    }

    /** Waits for something although the thread is interrupted: it was told to stop, and this is how it stops. */
    static final class UninterruptibleWait {

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
}
