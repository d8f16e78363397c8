package io.interlock.run;

import io.interlock.RunId;
import io.interlock.RunState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An ended attempt.
 *
 * @param turn the holder, the start and the lease
 * @param next the state of the run afterwards
 * @param error why it did not succeed, or {@code null} if it did
 */
public record Attempt(
        RunId run,
        Turn turn,
        Instant endedAt,
        RunState next,
        @Nullable RunError error) {}
