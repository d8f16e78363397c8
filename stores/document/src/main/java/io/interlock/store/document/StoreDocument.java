package io.interlock.store.document;

import io.interlock.spi.TokenLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is stored about a store.
 *
 * @param ids the stores this one continues. A client that knows another store finds here that it is the same, after
 *     a loss of data too
 * @param epoch the upper bits of its tokens
 * @param floor at least as great as every token whose key was forgotten
 * @param maxLease the longest lease ever allowed
 * @param quietUntil before this time nothing is granted
 */
public record StoreDocument(Set<String> ids, int epoch, long floor, Duration maxLease, Instant quietUntil) {

    private static final Duration WEEK = Duration.ofDays(7);

    /** A store that was never used. The week in its epoch keeps tokens rising if all data of an earlier one was lost. */
    static StoreDocument first(String id, Duration maxLease, Instant now) {
        Duration age = Duration.between(Instant.ofEpochMilli(TokenLayout.ORIGIN_MILLIS), now);
        long week = Math.max(1, Math.min(TokenLayout.MAX_EPOCH / 2, age.dividedBy(WEEK)));
        return new StoreDocument(Set.of(id), (int) week, 0, maxLease, Instant.EPOCH);
    }

    /** This store in a later epoch, in which nothing is granted until earlier leases must have ended. */
    StoreDocument inEpoch(int next, Instant now) {
        return new StoreDocument(ids, next, floor, maxLease, now.plus(maxLease));
    }

    StoreDocument continuing(Set<String> earlier) {
        Set<String> more = new TreeSet<>(ids);
        more.addAll(earlier);
        return new StoreDocument(more, epoch, floor, maxLease, quietUntil);
    }

    StoreDocument allowing(Duration lease) {
        return lease.compareTo(maxLease) <= 0 ? this : new StoreDocument(ids, epoch, floor, lease, quietUntil);
    }

    StoreDocument above(long token) {
        return new StoreDocument(ids, epoch, Math.max(floor, token), maxLease, quietUntil);
    }

    /** The end of the quiet period as the database judges it. */
    public StoreDocument quietUntil(Instant end) {
        return new StoreDocument(ids, epoch, floor, maxLease, end);
    }

    /** The fields of this document. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("ids", String.join(" ", new TreeSet<>(ids)));
        fields.put("epoch", (long) epoch);
        fields.put("floor", floor);
        fields.put("maxLeaseMillis", maxLease.toMillis());
        fields.put("quietUntil", quietUntil);
        return fields;
    }

    /** The document with these {@linkplain #fields() fields}. */
    public static StoreDocument of(Fields fields) {
        return new StoreDocument(
                Set.of(fields.text("ids").split(" ")),
                (int) fields.number("epoch"),
                fields.number("floor"),
                Duration.ofMillis(fields.number("maxLeaseMillis")),
                fields.time("quietUntil"));
    }
}
