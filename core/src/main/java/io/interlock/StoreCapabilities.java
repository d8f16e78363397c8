package io.interlock;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The properties of a store.
 *
 * @param store its kind and place, for messages, without secrets
 * @param reach how far its exclusion reaches
 * @param wakeUps whether it sends wake-ups, or waiters only poll
 * @param maxLease the longest ttl it grants; also the length of its quiet period after a possible loss of leases
 * @param parallelBatches how many batches of one kind of step it serves best at once; 1 if it has a single writer
 * @param writeEvery how long the writes of one key should be apart if they go on; leases are not renewed more often
 */
public record StoreCapabilities(
        String store,
        Reach reach,
        boolean wakeUps,
        Duration maxLease,
        Duration timePrecision,
        int parallelBatches,
        Duration writeEvery) {

    private static final Pattern PASSWORD = Pattern.compile("(//[^:@/]*):.*@");
    private static final Pattern SECRET_OPTION = Pattern.compile("(?i)([?&][^=&]*password=)[^&]*");
    private static final Set<String> LEASES_ONLY = Set.of("redis", "rediss", "etcd", "etcds", "firestore");

    /** A store that may write a key at any rate. */
    public StoreCapabilities(
            String store,
            Reach reach,
            boolean wakeUps,
            Duration maxLease,
            Duration timePrecision,
            int parallelBatches) {
        this(store, reach, wakeUps, maxLease, timePrecision, parallelBatches, Duration.ZERO);
    }

    /** Whether the store at {@code url} keeps runs; otherwise it keeps leases only. */
    public static boolean keepsRuns(String url) {
        return !LEASES_ONLY.contains(url.replaceFirst(":.*", "").toLowerCase(Locale.ROOT));
    }

    /** The URL of a store without its password and those among its options, such as {@code sslpassword}. */
    public static String shown(String url) {
        return SECRET_OPTION
                .matcher(PASSWORD.matcher(url).replaceAll("$1:***@"))
                .replaceAll("$1***");
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
