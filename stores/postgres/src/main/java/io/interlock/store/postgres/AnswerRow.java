package io.interlock.store.postgres;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
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
 * @param refusal what of runs stood in the way, or {@code null}
 */
record AnswerRow(
        int request,
        String verdict,
        Instant at,
        @Nullable Instant until,
        @Nullable LockKey key,
        @Nullable LeaseRecord lease,
        @Nullable Refusal refusal) {

    /** What to select from a function that answers so, and is called {@code a}. */
    static final String SELECT = "SELECT a.*, " + Refusals.SELECT + " FROM ";

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

    Refusal requireRefusal() {
        if (refusal == null) {
            throw new IllegalStateException("verdict " + verdict + " without its refusal");
        }
        return refusal;
    }

    Instant requireUntil() {
        if (until == null) {
            throw new IllegalStateException("verdict " + verdict + " without its end");
        }
        return until;
    }

    private static AnswerRow read(ResultSet row) throws SQLException {
        Columns columns = new Columns(row, "");
        Instant at = columns.requireInstant("at");
        LockKey key = columns.key();
        LeaseRecord lease = columns.lease(at);
        return new AnswerRow(
                row.getInt("request") - 1,
                row.getString("verdict"),
                at,
                columns.instant("until"),
                key,
                lease,
                Refusals.read(row, key, lease, at));
    }
}
