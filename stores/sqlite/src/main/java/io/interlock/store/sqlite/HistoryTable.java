package io.interlock.store.sqlite;

import io.interlock.run.Retention;
import io.interlock.run.WorkerNote;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What is old, in all tables about runs, on one session. */
final class HistoryTable {

    // Dead letters nobody has done anything about have a time of their own. Who has a name that counts may still ask.
    private static final String OLD = """
            SELECT number FROM ${schema}.${prefix}run AS run INDEXED BY ${prefix}run_ended
             WHERE state IN ('SUCCEEDED', 'FAILED', 'ABORTED', 'TIMED_OUT', 'DEAD')
               AND since <= max(?1, ?2)
               AND since <= CASE
                     WHEN state = 'DEAD' AND NOT EXISTS (
                       SELECT 1 FROM ${schema}.${prefix}disposition AS done WHERE done.number = run.number)
                     THEN ?2 ELSE ?1 END
               AND NOT EXISTS (
                     SELECT 1 FROM ${schema}.${prefix}idempotency AS name
                      WHERE name.run_id = run.run_id AND name.until > ?3)
             ORDER BY since LIMIT ?4
            """;

    // Attempts, output and the rest go with it.
    private static final String DELETE_RUN = "DELETE FROM ${schema}.${prefix}run WHERE number = ?";

    private static final List<String> BEFORE = List.of(
            "DELETE FROM ${schema}.${prefix}refusal_count WHERE minute < ?",
            "DELETE FROM ${schema}.${prefix}worker WHERE seen_at < ?");

    private static final String NAMES = "DELETE FROM ${schema}.${prefix}idempotency WHERE until <= ?";

    private static final String REMOTE_WORKERS =
            "DELETE FROM ${schema}.${prefix}worker WHERE version = 'remote' AND seen_at < ?";

    private static final String OLD_NOTES = """
            SELECT EXISTS (SELECT 1 FROM ${schema}.${prefix}refusal_count WHERE minute < ?1)
                OR EXISTS (SELECT 1 FROM ${schema}.${prefix}worker WHERE seen_at < ?1)
                OR EXISTS (SELECT 1 FROM ${schema}.${prefix}idempotency WHERE until <= ?2)
                OR EXISTS (SELECT 1 FROM ${schema}.${prefix}worker WHERE version = 'remote' AND seen_at < ?3)
            """;

    private final Step step;
    private final Session session;

    HistoryTable(Step step) {
        this.step = step;
        this.session = step.session();
    }

    /** Forgets up to {@code limit} runs that are older than they are kept. */
    int forgetRuns(Retention retention, int limit) throws SQLException {
        List<Long> old = old(retention, limit);
        if (!old.isEmpty() && step.mayWrite()) {
            PreparedStatement delete = session.prepare(DELETE_RUN);
            for (long number : old) {
                delete.setLong(1, number);
                delete.executeUpdate();
            }
        }
        return old.size();
    }

    /** Forgets counts and workers of the time of forgotten runs, and names that count no more. */
    void forgetNotes(Retention retention) throws SQLException {
        long then = step.now() - Micros.of(retention.runs());
        long remoteThen = step.now() - Micros.of(WorkerNote.REMOTE_KEPT);
        PreparedStatement look = session.prepare(OLD_NOTES);
        look.setLong(1, then);
        look.setLong(2, step.now());
        look.setLong(3, remoteThen);
        boolean found;
        try (ResultSet row = look.executeQuery()) {
            found = row.next() && row.getBoolean(1);
        }
        if (found && step.mayWrite()) {
            for (String sql : BEFORE) {
                delete(sql, then);
            }
            delete(REMOTE_WORKERS, remoteThen);
            delete(NAMES, step.now());
        }
    }

    private List<Long> old(Retention retention, int limit) throws SQLException {
        PreparedStatement old = session.prepare(OLD);
        old.setLong(1, step.now() - Micros.of(retention.runs()));
        old.setLong(2, step.now() - Micros.of(retention.deadLetters()));
        old.setLong(3, step.now());
        old.setInt(4, limit);
        List<Long> numbers = new ArrayList<>();
        try (ResultSet rows = old.executeQuery()) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }

    private void delete(String sql, long then) throws SQLException {
        PreparedStatement delete = session.prepare(sql);
        delete.setLong(1, then);
        delete.executeUpdate();
    }
}
