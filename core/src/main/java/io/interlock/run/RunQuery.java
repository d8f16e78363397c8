package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which runs to list.
 *
 * @param key only of this key, or {@code null} for all
 * @param state only in this state, or {@code null} for all
 * @param job only of this job, or {@code null} for all
 * @param label only with this label, or {@code null} for all
 * @param since only those submitted at this time or later, or {@code null} for all
 * @param until only those submitted before this time, or {@code null} for all
 * @param after only those after the run with this number, in the requested order; 0 to begin at the first
 * @param limit the maximum number, 1 to {@value #MAX_LIMIT}
 * @param descending whether the last submitted comes first
 */
public record RunQuery(
        String tenant,
        @Nullable LockKey key,
        @Nullable RunState state,
        @Nullable JobName job,
        @Nullable Label label,
        @Nullable Instant since,
        @Nullable Instant until,
        long after,
        int limit,
        boolean descending) {

    /** The largest page. */
    public static final int MAX_LIMIT = LeaseQuery.MAX_LIMIT;

    /** A label of a run. */
    public record Label(String name, String value) {

        /** Whether {@code run} has it. */
        public boolean isOf(Run run) {
            return value.equals(run.spec().labels().get(name));
        }
    }

    public RunQuery {
        LeaseQuery.requireLimit(limit, "request the next page with the cursor of this page");
    }

    /** All runs of a tenant. */
    public static RunQuery ofTenant(String tenant) {
        return new RunQuery(tenant, null, null, null, null, null, null, 0, MAX_LIMIT, false);
    }

    /** This query for one key. */
    public RunQuery of(LockKey key) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending);
    }

    /** This query for runs in one state. */
    public RunQuery in(RunState state) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending);
    }

    /** This query for runs of one job. */
    public RunQuery doing(JobName job) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending);
    }

    /** This query for runs with one label. */
    public RunQuery with(Label label) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending);
    }

    /** This query for runs submitted at {@code since} or later. */
    public RunQuery since(Instant since) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending);
    }

    /** This query for runs submitted before {@code until}. */
    public RunQuery until(Instant until) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending);
    }

    /** This query after run number {@code after}, in pages of {@code limit}. */
    public RunQuery page(long after, int limit) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending);
    }

    /** This query with the last submitted run first. */
    public RunQuery newestFirst() {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, true);
    }

    /** Whether {@code run} matches this query. */
    public boolean matches(Run run) {
        return run.key().tenant().equals(tenant)
                && (descending ? after == 0 || run.number() < after : run.number() > after)
                && (key == null || key.equals(run.key()))
                && (state == null || state == run.state())
                && (job == null || job.equals(run.job()))
                && (label == null || label.isOf(run))
                && (since == null || !run.submittedAt().isBefore(since))
                && (until == null || run.submittedAt().isBefore(until));
    }
}
