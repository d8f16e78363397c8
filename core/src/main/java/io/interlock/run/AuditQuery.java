package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which audit records to read.
 *
 * @param tenant only of this tenant, or {@code null} for all
 * @param key only under this key, or {@code null} for all
 * @param run only about this run, or {@code null} for all
 * @param action only with this action, or {@code null} for all
 * @param since only records of this time or later, or {@code null} for all
 * @param before only records with a smaller number, newest first; 0 to begin with the newest
 * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
 * @param narrowing what else narrows them
 */
public record AuditQuery(
        @Nullable String tenant,
        @Nullable LockKey key,
        @Nullable RunId run,
        @Nullable String action,
        @Nullable Instant since,
        long before,
        int limit,
        Narrowing narrowing) {

    /** The states of a run that has not begun. */
    private static final Set<String> NOT_BEGUN = Set.of(RunState.QUEUED.name(), RunState.PENDING.name());

    /** Who did it. */
    public enum Actors {
        /** People and programs that asked for something: they submitted, cancelled, evicted, paused. */
        PEOPLE,
        /** The rules: what time and other changes brought about. */
        RULES,
        /** Holders of runs: they began and ended them. */
        WORKERS;

        /** Whether {@code record} is of one of these. */
        public boolean did(AuditRecord record) {
            return this == of(record);
        }

        private static Actors of(AuditRecord record) {
            if (record.actor().equals(AuditRecord.RULES)) {
                return RULES;
            }
            boolean changesRun =
                    record.action().equals("run") || record.action().equals("resource");
            boolean cancels =
                    NOT_BEGUN.contains(record.before()) && record.after().equals(RunState.ABORTED.name());
            return changesRun && !cancels ? WORKERS : PEOPLE;
        }
    }

    /**
     * What else narrows a query.
     *
     * @param until only records before this time, or {@code null} for all
     * @param prefix only under keys with this prefix; empty for all
     * @param actors only of these, or {@code null} for all
     */
    public record Narrowing(
            @Nullable Instant until,
            String prefix,
            @Nullable Actors actors) {

        /** None. */
        public static final Narrowing NONE = new Narrowing(null, "", null);

        boolean matches(AuditRecord record) {
            return (until == null || record.at().isBefore(until))
                    && record.key().name().startsWith(prefix)
                    && (actors == null || actors.did(record));
        }
    }

    /** A query that nothing else narrows. */
    public AuditQuery(
            @Nullable String tenant,
            @Nullable LockKey key,
            @Nullable RunId run,
            @Nullable String action,
            @Nullable Instant since,
            long before,
            int limit) {
        this(tenant, key, run, action, since, before, limit, Narrowing.NONE);
    }

    public AuditQuery {
        LeaseQuery.requireLimit(limit, "request the next page with the last number of this page");
    }

    /** The newest records of a tenant. */
    public static AuditQuery ofTenant(String tenant, int limit) {
        return new AuditQuery(tenant, null, null, null, null, 0, limit);
    }

    /** This query behind the record with the number {@code before}. */
    public AuditQuery before(long before) {
        return new AuditQuery(tenant, key, run, action, since, before, limit, narrowing);
    }

    /** This query, narrowed further. */
    public AuditQuery narrowed(Narrowing narrowing) {
        return new AuditQuery(tenant, key, run, action, since, before, limit, narrowing);
    }

    /** Whether {@code record} matches this query. */
    public boolean matches(AuditRecord record) {
        return (before == 0 || record.sequence() < before)
                && (tenant == null || tenant.equals(record.key().tenant()))
                && (key == null || key.equals(record.key()))
                && (run == null || run.equals(record.run()))
                && (action == null || action.equals(record.action()))
                && (since == null || !record.at().isBefore(since))
                && narrowing.matches(record);
    }
}
