package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunState;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
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
 * @param failure only those that failed so, or {@code null} for all
 * @param ended only those that have ended
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
        boolean descending,
        @Nullable Failure failure,
        boolean ended) {

    /** The largest page. */
    public static final int MAX_LIMIT = LeaseQuery.MAX_LIMIT;

    /** A label of a run. */
    public record Label(String name, String value) {

        public boolean isOf(Run run) {
            return value.equals(run.spec().labels().get(name));
        }
    }

    /**
     * How runs failed.
     *
     * @param since only runs that ended at this time or later, or {@code null} for all
     * @param code only runs whose error has this code, or {@code null} for all
     * @param open only dead letters that are neither redriven nor discarded
     */
    public record Failure(@Nullable Instant since, @Nullable String code, boolean open) {

        /** Whether {@code run} failed so, apart from what was done about a dead letter. */
        public boolean isOf(Run run) {
            RunError error = run.status().error();
            return run.state().isFailure()
                    && (since == null || !run.status().since().isBefore(since))
                    && (code == null || (error != null && code.equals(error.code())))
                    && (!open || run.state() == RunState.DEAD);
        }
    }

    public RunQuery {
        LeaseQuery.requireLimit(limit, "request the next page with the cursor of this page");
    }

    public static RunQuery ofTenant(String tenant) {
        return new RunQuery(tenant, null, null, null, null, null, null, 0, MAX_LIMIT, false, null, false);
    }

    public RunQuery of(LockKey key) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    public RunQuery in(RunState state) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    public RunQuery doing(JobName job) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    public RunQuery with(Label label) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    /** This query for runs submitted at {@code since} or later. */
    public RunQuery since(Instant since) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    /** This query for runs submitted before {@code until}. */
    public RunQuery until(Instant until) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    /** This query for runs that failed so. */
    public RunQuery failing(Failure failure) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    public RunQuery onlyEnded() {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, true);
    }

    /** This query after run number {@code after}, in pages of {@code limit}. */
    public RunQuery page(long after, int limit) {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, descending, failure, ended);
    }

    /** This query with the last submitted run first. */
    public RunQuery newestFirst() {
        return new RunQuery(tenant, key, state, job, label, since, until, after, limit, true, failure, ended);
    }

    /** Whether {@code run} matches this query, apart from what was done about a dead letter. */
    public boolean matches(Run run) {
        return run.key().tenant().equals(tenant)
                && (descending ? after == 0 || run.number() < after : run.number() > after)
                && (key == null || key.equals(run.key()))
                && (state == null || state == run.state())
                && (job == null || job.equals(run.job()))
                && (label == null || label.isOf(run))
                && (failure == null || failure.isOf(run))
                && (!ended || run.state().isTerminal())
                && (since == null || !run.submittedAt().isBefore(since))
                && (until == null || run.submittedAt().isBefore(until));
    }

    /** A page of runs, in the requested order. */
    public record RunPage(List<Run> runs, boolean more) {

        public RunPage {
            runs = List.copyOf(runs);
        }

        /** A page from a result with one more run than requested, if there are more. */
        public static RunPage of(List<Run> found, int limit) {
            return found.size() <= limit ? new RunPage(found, false) : new RunPage(found.subList(0, limit), true);
        }

        /** The number after which the next page begins, if there are more. */
        public OptionalLong cursor() {
            return more ? OptionalLong.of(runs.get(runs.size() - 1).number()) : OptionalLong.empty();
        }
    }
}
