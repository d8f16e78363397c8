package io.interlock.locks;

import io.interlock.LeaseRecord;

/**
 * Asks the outside world, before a key is taken over, whether the work of a holder that vanished still runs there: the
 * warehouse job, the cloud deployment, the remote process.
 *
 * <p>It runs outside any transaction, on the thread that waits for the key. If it throws, the key stays closed.
 */
@FunctionalInterface
public interface TakeoverProbe {

    /** Looks after the work of {@code expired}. */
    Finding look(LeaseRecord expired) throws Exception;

    /** What the probe found. */
    sealed interface Finding {

        /** The work is over; the key may be granted. */
        record Over() implements Finding {}

        /**
         * The work still runs; the key stays closed.
         *
         * @param detail in words, for the callers that wait
         */
        record StillRunning(String detail) implements Finding {}
    }
}
