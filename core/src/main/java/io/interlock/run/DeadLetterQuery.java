package io.interlock.run;

import io.interlock.LeaseQuery;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters to list.
 *
 * @param tenant only of this tenant, or {@code null} for all
 * @param job only of this job, or {@code null} for all
 * @param open only those neither redriven nor discarded
 * @param after only runs with a greater number; 0 to begin at the first
 * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
 */
public record DeadLetterQuery(
        @Nullable String tenant, @Nullable JobName job, boolean open, long after, int limit) {

    public DeadLetterQuery {
        LeaseQuery.requireLimit(limit, "request the next page with the last run's number");
    }

    /** Whether {@code letter} matches this query. */
    public boolean matches(DeadLetter letter) {
        Run run = letter.run();
        return run.number() > after
                && (tenant == null || tenant.equals(run.key().tenant()))
                && (job == null || job.equals(run.job()))
                && (!open || letter.isOpen());
    }

    /** The first open letters of a tenant. */
    public static DeadLetterQuery openOf(String tenant) {
        return new DeadLetterQuery(tenant, null, true, 0, RunQuery.MAX_LIMIT);
    }
}
