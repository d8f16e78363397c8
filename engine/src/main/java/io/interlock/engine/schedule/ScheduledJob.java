package io.interlock.engine.schedule;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.JobName;
import java.time.Duration;
import java.time.Instant;

/**
 * A job that starts by the clock.
 *
 * @param catchUp how old the last time may be that was missed because no process was there, and still be made up for; zero to
 *     skip what was missed. On a fresh start it is not known what was missed: the last time within it is submitted, and starts
 *     nothing if it was before.
 */
public record ScheduledJob(JobName job, LockKey key, FireTimes times, Duration catchUp) {

    /** The longest time that can be caught up with: idempotency keys are known to count for as long. */
    public static final Duration MAX_CATCH_UP = Duration.ofHours(24);

    public ScheduledJob {
        if (catchUp.isNegative() || catchUp.compareTo(MAX_CATCH_UP) > 0) {
            throw new InvalidSettingException(
                    "catch-up",
                    DurationText.format(catchUp),
                    "must be from 0s to " + DurationText.format(MAX_CATCH_UP),
                    "0s skips starts that were missed");
        }
    }

    /** A job whose missed starts are skipped. */
    public static ScheduledJob of(JobName job, LockKey key, FireTimes times) {
        return new ScheduledJob(job, key, times, Duration.ZERO);
    }

    String idempotencyKey(Instant fireTime) {
        return "schedule/" + job + "/" + fireTime;
    }
}
