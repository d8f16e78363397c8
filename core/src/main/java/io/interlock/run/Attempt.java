package io.interlock.run;

import io.interlock.RunId;
import io.interlock.RunState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that is over.
 *
 * @param run whose
 * @param turn who worked, since when, under which lease
 * @param endedAt when it was over, by the store's clock
 * @param next what became of the run
 * @param error why it did not succeed, or {@code null} if it did
 */
public record Attempt(
        RunId run,
        Turn turn,
        Instant endedAt,
        RunState next,
        @Nullable RunError error) {}
