package io.interlock.spi.run.rules;

import io.interlock.run.Resource;
import io.interlock.run.Run;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps about one key, as a step finds it.
 *
 * @param lease the lease row, or {@code null} if the key is free
 * @param lastToken the last token given out for the key, or 0
 * @param reservation the run the key is kept for, or {@code null}
 * @param busy the PENDING or RUNNING run of the key; more than one only if a table was changed by hand
 * @param queue the runs that wait
 * @param resource what the key stands for, or {@code null} if no run has touched it
 */
public record KeyRows(
        @Nullable LeaseRow lease,
        long lastToken,
        @Nullable Reservation reservation,
        List<Run> busy,
        RunQueue queue,
        @Nullable Resource resource) {

    /** Copies the list. */
    public KeyRows {
        busy = List.copyOf(busy);
    }

    /** A key that runs have nothing to do with. */
    public static KeyRows ofLease(@Nullable LeaseRow lease, long lastToken) {
        return new KeyRows(lease, lastToken, null, List.of(), RunQueue.EMPTY, null);
    }
}
