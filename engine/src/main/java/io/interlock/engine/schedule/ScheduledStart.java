package io.interlock.engine.schedule;

import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.JobName;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/** Takes in what a schedule starts: a start like any other, under the same lock. */
@FunctionalInterface
public interface ScheduledStart {

    /**
     * Submits a run. Does not block. Any clear answer, also that the key is taken or that the run was submitted before, ends
     * the stage normally. If it fails, the same is submitted again, unless with an {@link InterlockException} other than
     * {@link StoreUnavailableException}: asking again would be answered in the same way.
     *
     * @param fireTime the time the schedule names, not the time it is now
     * @param idempotencyKey the same on every process; must count for at least 24 h
     */
    CompletionStage<?> submit(JobName job, LockKey key, Instant fireTime, String idempotencyKey);
}
