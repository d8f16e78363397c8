package io.interlock.run;

import io.interlock.RunState;
import java.time.Instant;

/**
 * How many runs of one job of one tenant are in one state.
 *
 * @param tenant whose
 * @param job of which job
 * @param state QUEUED, PENDING or RUNNING; or DEAD, for dead letters nobody has done anything about
 * @param count how many
 * @param oldest since when the one that is longest in that state is in it
 */
public record RunCount(String tenant, JobName job, RunState state, long count, Instant oldest) {}
