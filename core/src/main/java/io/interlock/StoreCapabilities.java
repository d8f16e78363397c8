package io.interlock;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * The properties of a store.
 *
 * @param store its kind and place, for messages, without secrets
 * @param reach how far its exclusion reaches
 * @param wakeUps whether it sends wake-ups, or waiters only poll
 * @param maxLease the longest ttl it grants; also the length of its quiet period after a possible loss of leases
 * @param parallelBatches how many batches of one kind of step it serves best at once; 1 if it has a single writer
 */
public record StoreCapabilities(
        String store, Reach reach, boolean wakeUps, Duration maxLease, Duration timePrecision, int parallelBatches) {

    private static final Set<String> LEASES_ONLY = Set.of("redis", "rediss", "etcd", "etcds");

    /** Whether the store at {@code url} keeps runs; otherwise it keeps leases only. */
    public static boolean keepsRuns(String url) {
        return !LEASES_ONLY.contains(url.replaceFirst(":.*", "").toLowerCase(Locale.ROOT));
    }

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
