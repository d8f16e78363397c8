package io.interlock.run;

import io.interlock.InvalidSettingException;
import io.interlock.RunState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of the runs of one job, or of all jobs of a tenant, in one period.
 *
 * @param job the job, or {@code null} for all
 * @param start the beginning of the period
 * @param succeeded how many runs ended with success in it
 * @param failed how many failed, timed out or died
 * @param stopped how many were stopped, or left the queue
 * @param waiting the greatest number of runs that were seen waiting in it
 * @param holds how long the attempts that ended in it had their keys
 */
public record RunPeriod(
        String tenant,
        @Nullable JobName job,
        Length length,
        Instant start,
        long succeeded,
        long failed,
        long stopped,
        long waiting,
        HoldTimes holds) {

    /** The tenant under which each period is recorded in which a process counted: the others are unknown. */
    public static final String COUNTED = "interlock";

    /** How long periods are, and how long they are kept: shorter ones for a shorter time, so their number is bounded. */
    public enum Length {
        /** The periods of the last hour. */
        MINUTE(Duration.ofMinutes(1), Duration.ofHours(2)),
        /** The periods of the last day. */
        TEN_MINUTES(Duration.ofMinutes(10), Duration.ofHours(26)),
        /** The periods of the last week. */
        HOUR(Duration.ofHours(1), Duration.ofDays(8));

        private final Duration time;
        private final Duration kept;

        Length(Duration time, Duration kept) {
            this.time = time;
            this.kept = kept;
        }

        /** How long such a period is. */
        public Duration time() {
            return time;
        }

        /** How long such a period is kept, from its beginning on. */
        public Duration kept() {
            return kept;
        }

        /** The beginning of the period that {@code moment} is in. */
        public Instant start(Instant moment) {
            return Instant.ofEpochSecond(Math.floorDiv(moment.getEpochSecond(), time.toSeconds()) * time.toSeconds());
        }
    }

    /** Checks the numbers and the beginning. */
    public RunPeriod {
        if (!length.start(start).equals(start)) {
            throw new InvalidSettingException("start", start, "is not the beginning of a period", "truncate it");
        }
        if (Math.min(Math.min(succeeded, failed), Math.min(stopped, waiting)) < 0) {
            throw new InvalidSettingException(
                    "count",
                    Math.min(Math.min(succeeded, failed), Math.min(stopped, waiting)),
                    "is below 0",
                    "count up");
        }
    }

    /** A period in which nothing happened. */
    public static RunPeriod empty(String tenant, @Nullable JobName job, Length length, Instant start) {
        return new RunPeriod(tenant, job, length, start, 0, 0, 0, 0, HoldTimes.NONE);
    }

    public RunPeriod ended(RunState state, long more) {
        boolean success = state == RunState.SUCCEEDED;
        boolean stop = state == RunState.ABORTED;
        return plus(new RunPeriod(
                tenant,
                job,
                length,
                start,
                success ? more : 0,
                success || stop ? 0 : more,
                stop ? more : 0,
                0,
                HoldTimes.NONE));
    }

    /** This period with more times that attempts had their keys. */
    public RunPeriod held(HoldTimes more) {
        return plus(new RunPeriod(tenant, job, length, start, 0, 0, 0, 0, more));
    }

    /** This period with so many runs seen waiting. */
    public RunPeriod waiting(long seen) {
        return new RunPeriod(tenant, job, length, start, succeeded, failed, stopped, seen, holds);
    }

    /** Both as one: endings and times are summed, and of the waiting runs the greatest number stays. */
    public RunPeriod plus(RunPeriod more) {
        return new RunPeriod(
                tenant,
                job,
                length,
                start,
                succeeded + more.succeeded,
                failed + more.failed,
                stopped + more.stopped,
                Math.max(waiting, more.waiting),
                holds.plus(more.holds));
    }

    /** The same counts as part of a period of another length, and of one job or, with {@code null}, of all. */
    public RunPeriod within(Length other, @Nullable JobName of) {
        return new RunPeriod(tenant, of, other, other.start(start), succeeded, failed, stopped, waiting, holds);
    }

    /**
     * Which periods to list.
     *
     * @param job those of this job, or with {@code null} those of all jobs together
     * @param eachJob whether to list those of every job instead, each for itself
     * @param since only periods that begin then or later
     */
    public record PeriodQuery(
            String tenant,
            RunPeriod.Length length,
            @Nullable JobName job,
            boolean eachJob,
            Instant since) {

        /** Those of all jobs together. */
        public static PeriodQuery ofAll(String tenant, RunPeriod.Length length, Instant since) {
            return new PeriodQuery(tenant, length, null, false, since);
        }

        /** Those of one job. */
        public static PeriodQuery of(String tenant, JobName job, RunPeriod.Length length, Instant since) {
            return new PeriodQuery(tenant, length, job, false, since);
        }

        /** Those of every job, each for itself. */
        public static PeriodQuery ofEach(String tenant, RunPeriod.Length length, Instant since) {
            return new PeriodQuery(tenant, length, null, true, since);
        }
    }
}
