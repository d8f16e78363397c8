package io.interlock;

import java.time.Duration;

/**
 * Facts about a store, as data.
 *
 * @param store its kind and place, for people, without secrets
 * @param reach how far its exclusion reaches
 * @param wakeUps whether its change feed speaks, or waiters only poll
 * @param maxLease the longest ttl it grants; also how long it stays quiet after it may have lost leases
 * @param timePrecision the smallest difference of time it can tell
 * @param parallelBatches how many batches of one kind of step it serves best at once; 1 if it has a single writer
 */
public record StoreCapabilities(
        String store, Reach reach, boolean wakeUps, Duration maxLease, Duration timePrecision, int parallelBatches) {

    /** How far a store's exclusion reaches. */
    public enum Reach {
        /** Threads of one process. */
        PROCESS,
        /** Processes of one machine. */
        MACHINE,
        /** Machines. */
        NETWORK
    }
}
