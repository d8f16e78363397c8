package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps about one key.
 *
 * @param lease the lease row, or {@code null} if nobody has the key
 * @param lastToken the last token given out for the key, or 0
 * @param reservation for whom the key is kept, or {@code null}
 * @param runs the runs of the key that have not ended
 * @param resource what the key stands for, or {@code null} if nobody has touched it
 */
public record Contents(
        @Nullable LeaseRow lease,
        long lastToken,
        @Nullable Reservation reservation,
        Map<RunId, Run> runs,
        @Nullable Resource resource) {

    /** Copies the runs. */
    public Contents {
        runs = Map.copyOf(runs);
    }
}
