package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunId;
import java.time.Instant;
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
 */
public record AuditQuery(
        @Nullable String tenant,
        @Nullable LockKey key,
        @Nullable RunId run,
        @Nullable String action,
        @Nullable Instant since,
        long before,
        int limit) {

    public AuditQuery {
        LeaseQuery.requireLimit(limit, "request the next page with the last number of this page");
    }

    /** The newest records of a tenant. */
    public static AuditQuery ofTenant(String tenant, int limit) {
        return new AuditQuery(tenant, null, null, null, null, 0, limit);
    }

    /** Whether {@code record} matches this query. */
    public boolean matches(AuditRecord record) {
        return (before == 0 || record.sequence() < before)
                && (tenant == null || tenant.equals(record.key().tenant()))
                && (key == null || key.equals(record.key()))
                && (run == null || run.equals(record.run()))
                && (action == null || action.equals(record.action()))
                && (since == null || !record.at().isBefore(since));
    }
}
