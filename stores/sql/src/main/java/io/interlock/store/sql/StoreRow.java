package io.interlock.store.sql;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The one row of the table {@code store}: what holds for all keys. Times are {@link Micros}.
 *
 * @param now the store's time, read after the keys of the step were locked
 * @param epoch the upper bits of tokens
 * @param tokenFloor no smaller than any token whose row was deleted
 * @param maxLease the longest lease that may have been granted
 * @param quietUntil nothing is granted before
 * @param lastHeard when a waiting caller or a sweep was last heard of
 * @param heardSince waiting callers could report since then
 * @param placesWanted whether the limit of some tenant keeps a run waiting
 */
public record StoreRow(
        long now,
        int epoch,
        long tokenFloor,
        long maxLease,
        long quietUntil,
        long lastHeard,
        long heardSince,
        boolean placesWanted) {

    @Nullable
    Instant quietEnd() {
        return quietUntil == 0 ? null : Micros.moment(quietUntil);
    }

    StoreRow heardSince(long since) {
        return new StoreRow(now, epoch, tokenFloor, maxLease, quietUntil, lastHeard, since, placesWanted);
    }

    StoreRow placesWanted(boolean wanted) {
        return new StoreRow(now, epoch, tokenFloor, maxLease, quietUntil, lastHeard, heardSince, wanted);
    }
}
