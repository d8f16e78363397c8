package io.interlock.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import org.jspecify.annotations.Nullable;

/**
 * Something a sweep did.
 *
 * @param key where
 * @param run to which run, or {@code null} if to none
 * @param state where that run stands now, or {@code null} if it was no run
 * @param why for people
 */
public record SweepAction(
        LockKey key, @Nullable RunId run, @Nullable RunState state, String why) {}
