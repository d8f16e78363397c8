package io.interlock.run;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which periods to list.
 *
 * @param job those of this job, or with {@code null} those of all jobs together
 * @param eachJob whether to list those of every job instead, each for itself
 * @param since only periods that begin then or later
 */
public record PeriodQuery(
        String tenant, RunPeriod.Length length, @Nullable JobName job, boolean eachJob, Instant since) {

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
