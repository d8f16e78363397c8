package io.interlock.locks.internal;

import io.interlock.LeaseLostException;
import io.interlock.locks.LeaseTask;
import io.interlock.locks.Release;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task under a lease: interrupts it if the lease is lost, and gives the key back when it has ended, however it did.
 *
 * <p>If the lease was lost, that is what the caller hears; what the task threw meanwhile is most likely a consequence and is
 * attached. Only an {@link Error} goes first.
 */
final class GuardedTask {

    private static final Logger log = LoggerFactory.getLogger(GuardedTask.class);

    private final HeldLease lease;
    private @Nullable Thread thread = Thread.currentThread();
    private boolean interruptedByUs;

    GuardedTask(HeldLease lease) {
        this.lease = lease;
    }

    <T extends @Nullable Object, X extends Exception> T run(LeaseTask<T, X> task) throws X {
        lease.alarm(this::interrupt);
        T value;
        try {
            value = task.run(lease);
        } catch (Throwable thrown) {
            LeaseLostException lost = end();
            if (lost == null) {
                throw thrown;
            }
            if (thrown instanceof Error) {
                thrown.addSuppressed(lost);
                throw thrown;
            }
            lost.addSuppressed(thrown);
            throw lost;
        }
        LeaseLostException lost = end();
        if (lost != null) {
            throw lost;
        }
        return value;
    }

    private @Nullable LeaseLostException end() {
        taskEnded();
        boolean wasLost;
        try {
            wasLost = lease.release() == Release.WAS_LOST || lease.lossCause() != null;
        } catch (RuntimeException failure) {
            // Whatever the store does now, it is the work that the caller wants to hear of.
            wasLost = lease.lossCause() != null;
            log.warn("{} could not be given back now: {}", lease.key(), failure.toString());
        }
        return wasLost ? lease.lostException() : null;
    }

    // An interrupt that was there before ours is somebody else's and stays.
    private synchronized void interrupt() {
        if (thread != null && !thread.isInterrupted()) {
            interruptedByUs = true;
            thread.interrupt();
        }
    }

    private synchronized void taskEnded() {
        thread = null;
        if (interruptedByUs) {
            Thread.interrupted();
        }
    }
}
