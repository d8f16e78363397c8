package io.interlock.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import org.jspecify.annotations.Nullable;

/**
 * An action of a sweep.
 *
 * @param run the run, or {@code null} if the action is not about a run
 * @param state the state of that run afterwards, or {@code null}
 */
public record SweepAction(
        LockKey key, @Nullable RunId run, @Nullable RunState state, String why) {}
