package io.interlock.run;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RunState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which runs to list.
 *
 * @param tenant whose
 * @param key only of this key, or {@code null} for all
 * @param state only in this state, or {@code null} for all
 * @param job only of this job, or {@code null} for all
 * @param since only those submitted then or later, or {@code null} for all
 * @param after only those behind the run with this number, in the order asked for; 0 to begin at the first
 * @param limit how many at the most, 1 to {@value #MAX_LIMIT}
 * @param descending whether the last submitted comes first
 */
public record RunQuery(
        String tenant,
        @Nullable LockKey key,
        @Nullable RunState state,
        @Nullable JobName job,
        @Nullable Instant since,
        long after,
        int limit,
        boolean descending) {

    /** The largest page. */
    public static final int MAX_LIMIT = 1000;

    /** Checks the limit. */
    public RunQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidSettingException(
                    "limit", limit, "must be from 1 to " + MAX_LIMIT, "page on with the cursor of the page before");
        }
    }

    /** All runs of a tenant. */
    public static RunQuery ofTenant(String tenant) {
        return new RunQuery(tenant, null, null, null, null, 0, MAX_LIMIT, false);
    }

    /** This, for one key. */
    public RunQuery of(LockKey key) {
        return new RunQuery(tenant, key, state, job, since, after, limit, descending);
    }

    /** This, for runs in one state. */
    public RunQuery in(RunState state) {
        return new RunQuery(tenant, key, state, job, since, after, limit, descending);
    }

    /** This, for runs of one job. */
    public RunQuery doing(JobName job) {
        return new RunQuery(tenant, key, state, job, since, after, limit, descending);
    }

    /** This, for runs submitted at {@code since} or later. */
    public RunQuery since(Instant since) {
        return new RunQuery(tenant, key, state, job, since, after, limit, descending);
    }

    /** This, from after run number {@code after} on, in pages of {@code limit}. */
    public RunQuery page(long after, int limit) {
        return new RunQuery(tenant, key, state, job, since, after, limit, descending);
    }

    /** This, the last submitted first. */
    public RunQuery newestFirst() {
        return new RunQuery(tenant, key, state, job, since, after, limit, true);
    }

    /** Whether {@code run} is one of those asked for. */
    public boolean matches(Run run) {
        return run.key().tenant().equals(tenant)
                && (descending ? after == 0 || run.number() < after : run.number() > after)
                && (key == null || key.equals(run.key()))
                && (state == null || state == run.state())
                && (job == null || job.equals(run.job()))
                && (since == null || !run.submittedAt().isBefore(since));
    }
}
