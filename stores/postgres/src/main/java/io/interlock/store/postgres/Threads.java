package io.interlock.store.postgres;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waiting, by the threads of this store. */
final class Threads {

    private Threads() {}

    /** Waits for a while, or until {@code closing}; says whether it is closing. */
    static boolean pause(CountDownLatch closing, long millis) {
        try {
            return closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException nobodyElseHasThisThread) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Waits until {@code thread} has ended, but not for ever; an interrupt is kept for the caller. */
    static void join(Thread thread, Duration most) {
        try {
            thread.join(most.toMillis());
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}
