package io.interlock.run;

import io.interlock.RunState;
import java.time.Instant;

/**
 * How many runs of one job of one tenant are in one state.
 *
 * @param state QUEUED, PENDING or RUNNING; or DEAD, for open dead letters
 * @param oldest since when the oldest of them is in that state
 */
public record RunCount(String tenant, JobName job, RunState state, long count, Instant oldest) {}
