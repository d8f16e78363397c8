package io.interlock.store.postgres;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.run.Run;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of an answer about runs.
 *
 * @param request which request of the batch, counted from 0
 * @param verdict a word of the SQL functions
 * @param at the store's time
 * @param mark until when somebody waits for the key, or {@code null} if nobody does
 * @param position a place in line, if the verdict has one
 * @param length a length of time, if the verdict has one
 * @param key the key it is about, or {@code null} if it is about none
 * @param lease the lease in the key's row, or {@code null} if it is free
 * @param refusal why a key cannot be had, or {@code null}
 * @param run the run it is about, or {@code null}
 */
record RunAnswer(
        int request,
        String verdict,
        Instant at,
        @Nullable Instant mark,
        int position,
        @Nullable Duration length,
        @Nullable LockKey key,
        @Nullable LeaseRecord lease,
        @Nullable Refusal refusal,
        @Nullable Run run) {

    /** The columns of a function that answers so, and is called {@code a}. The run's columns keep their names. */
    static final String COLUMNS = "a.request, a.verdict, a.at AS answer_at, a.mark, a.position, a.length, " + """
            (a.lease).tenant AS lease_tenant, (a.lease).name AS lease_name, (a.lease).lease_id AS lease_lease_id,
            (a.lease).instance AS lease_instance, (a.lease).label AS lease_label, (a.lease).run_id AS lease_run_id,
            (a.lease).token AS lease_token, (a.lease).granted_at AS lease_granted_at,
            (a.lease).expires_at AS lease_expires_at, (a.lease).evicted_by AS lease_evicted_by,
            (a.lease).evict_reason AS lease_evict_reason, (a.lease).evicted_at AS lease_evicted_at,
            """
            + Refusals.SELECT + ", (a.run).*";

    /** What to select from such a function. */
    static final String SELECT = "SELECT " + COLUMNS + " FROM ";

    static List<RunAnswer> readAll(ResultSet rows) throws SQLException {
        List<RunAnswer> read = new ArrayList<>();
        while (rows.next()) {
            read.add(read(rows));
        }
        return read;
    }

    static RunAnswer read(ResultSet row) throws SQLException {
        Columns answer = new Columns(row, "");
        Columns leased = new Columns(row, "lease_");
        Instant at = answer.requireInstant("answer_at");
        LockKey key = leased.key();
        LeaseRecord lease = leased.lease(at);
        return new RunAnswer(
                answer.number("request") - 1,
                answer.requireText("verdict"),
                at,
                answer.instant("mark"),
                answer.number("position"),
                answer.time("length"),
                key,
                lease,
                Refusals.read(row, key, lease, at),
                RunColumns.read(answer));
    }

    Run requireRun() {
        return require(run, "run");
    }

    LeaseRecord requireLease() {
        return require(lease, "lease");
    }

    Refusal requireRefusal() {
        return require(refusal, "refusal");
    }

    LockKey requireKey() {
        return require(key, "key");
    }

    /** Whether somebody waits for the key, and should hear that it may be free. */
    boolean leavesWaiters() {
        return mark != null && mark.isAfter(at);
    }

    private <T> T require(@Nullable T value, String what) {
        if (value == null) {
            throw new IllegalStateException("verdict " + verdict + " without its " + what);
        }
        return value;
    }
}
