package io.interlock.engine;

import io.interlock.run.SweepAction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One round of one sweep.
 *
 * @param at when, by this process's clock
 * @param skipped why it did nothing at all, or {@code null} if it looked
 */
public record SweepRound(
        String sweep,
        Instant at,
        List<SweepAction> actions,
        @Nullable String skipped) {

    public SweepRound {
        actions = List.copyOf(actions);
    }

    /** Why it did nothing at all, if it did not look. */
    public Optional<String> whySkipped() {
        return Optional.ofNullable(skipped);
    }
}
