package io.interlock.store.postgres;

import io.interlock.Eviction;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row of an answer: a verdict, and the lease it is about.
 *
 * @param request which request of the batch, counted from 0
 * @param verdict a word of the SQL functions
 * @param at the store's time
 * @param until what the verdict waits for, if anything
 * @param key the key it is about, or {@code null} if it is about none
 * @param lease the lease in the key's row, or {@code null} if it is free
 */
record AnswerRow(
        int request,
        String verdict,
        Instant at,
        @Nullable Instant until,
        @Nullable LockKey key,
        @Nullable LeaseRecord lease) {

    static List<AnswerRow> readAll(ResultSet rows) throws SQLException {
        List<AnswerRow> read = new ArrayList<>();
        while (rows.next()) {
            read.add(read(rows));
        }
        return read;
    }

    /** Microseconds, which is what PostgreSQL counts in; rounded up, so that a lease is never shorter than promised. */
    static long micros(Duration duration) {
        return duration.plusNanos(999).dividedBy(ChronoUnit.MICROS.getDuration());
    }

    LeaseRecord requireLease() {
        if (lease == null) {
            throw new IllegalStateException("verdict " + verdict + " without its lease");
        }
        return lease;
    }

    LockKey requireKey() {
        if (key == null) {
            throw new IllegalStateException("verdict " + verdict + " without its key");
        }
        return key;
    }

    Instant requireUntil() {
        if (until == null) {
            throw new IllegalStateException("verdict " + verdict + " without its end");
        }
        return until;
    }

    private static AnswerRow read(ResultSet row) throws SQLException {
        Instant at = requireInstant(row, "at");
        String tenant = row.getString("tenant");
        LockKey key = tenant == null ? null : new LockKey(tenant, row.getString("name"));
        UUID id = row.getObject("lease_id", UUID.class);
        return new AnswerRow(
                row.getInt("request") - 1,
                row.getString("verdict"),
                at,
                instant(row, "until"),
                key,
                key == null || id == null ? null : lease(row, key, id, at));
    }

    private static LeaseRecord lease(ResultSet row, LockKey key, UUID id, Instant at) throws SQLException {
        UUID run = row.getObject("run_id", UUID.class);
        Instant evictedAt = instant(row, "evicted_at");
        return new LeaseRecord(
                key,
                new LeaseId(id),
                new Holder(row.getString("instance"), row.getString("label"), run == null ? null : new RunId(run)),
                new FencingToken(row.getLong("token")),
                requireInstant(row, "granted_at"),
                requireInstant(row, "expires_at"),
                at,
                evictedAt == null
                        ? null
                        : new Eviction(row.getString("evicted_by"), row.getString("evict_reason"), evictedAt));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    private static Instant requireInstant(ResultSet row, String column) throws SQLException {
        Instant value = instant(row, column);
        if (value == null) {
            throw new SQLException("the column " + column + " is empty", "XX001");
        }
        return value;
    }
}
