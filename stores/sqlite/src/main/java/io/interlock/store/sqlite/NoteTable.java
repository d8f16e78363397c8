package io.interlock.store.sqlite;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.RefusalCount;
import io.interlock.run.Run;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tables {@code output}, {@code refusal_count} and {@code bookmark}, on one session. */
final class NoteTable {

    private static final String PUT_OUTPUT = "REPLACE INTO ${schema}.${prefix}output (number, text) VALUES (?, ?)";

    private static final String OUTPUT = """
            SELECT text FROM ${schema}.${prefix}output
             WHERE number = (SELECT number FROM ${schema}.${prefix}run WHERE run_id = ?)
            """;

    private static final String COUNT = """
            INSERT INTO ${schema}.${prefix}refusal_count (tenant, name, minute, node, policy, outcome, count, last)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET count = excluded.count, last = excluded.last WHERE excluded.count > count
            """;

    private static final String REFUSALS = """
            SELECT node, minute, policy, outcome, count, last
              FROM ${schema}.${prefix}refusal_count WHERE tenant = ? AND name = ? AND minute >= ?
             ORDER BY minute, node, policy, outcome
            """;

    private static final String BOOKMARK = "SELECT value FROM ${schema}.${prefix}bookmark WHERE name = ?";

    private static final String PUT_BOOKMARK = "REPLACE INTO ${schema}.${prefix}bookmark (name, value) VALUES (?, ?)";

    private final Session session;

    NoteTable(Session session) {
        this.session = session;
    }

    void putOutput(Run run, String text) throws SQLException {
        PreparedStatement put = session.prepare(PUT_OUTPUT);
        put.setLong(1, run.number());
        put.setString(2, text);
        put.executeUpdate();
    }

    Optional<String> output(RunId run) throws SQLException {
        PreparedStatement output = session.prepare(OUTPUT);
        output.setString(1, run.toString());
        try (ResultSet row = output.executeQuery()) {
            return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
        }
    }

    /** Keeps a count, unless a greater one is there. */
    void count(RefusalCount refusals) throws SQLException {
        PreparedStatement count = session.prepare(COUNT);
        count.setString(1, refusals.key().tenant());
        count.setString(2, refusals.key().name());
        count.setLong(3, Micros.of(refusals.minute()));
        count.setString(4, refusals.node());
        count.setString(5, refusals.policy().name());
        count.setString(6, refusals.outcome().name());
        count.setLong(7, refusals.count());
        count.setString(8, refusals.last());
        count.executeUpdate();
    }

    List<RefusalCount> refusals(LockKey key, Instant since) throws SQLException {
        PreparedStatement refusals = session.prepare(REFUSALS);
        refusals.setString(1, key.tenant());
        refusals.setString(2, key.name());
        refusals.setLong(3, Micros.ceiling(since));
        List<RefusalCount> found = new ArrayList<>();
        try (ResultSet row = refusals.executeQuery()) {
            while (row.next()) {
                found.add(new RefusalCount(
                        key,
                        row.getString(1),
                        Micros.moment(row.getLong(2)),
                        ConflictPolicy.valueOf(row.getString(3)),
                        RefusalCount.Outcome.valueOf(row.getString(4)),
                        row.getLong(5),
                        row.getString(6)));
            }
        }
        return found;
    }

    long bookmark(String name) throws SQLException {
        PreparedStatement bookmark = session.prepare(BOOKMARK);
        bookmark.setString(1, name);
        try (ResultSet row = bookmark.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    void putBookmark(String name, long value) throws SQLException {
        PreparedStatement put = session.prepare(PUT_BOOKMARK);
        put.setString(1, name);
        put.setLong(2, value);
        put.executeUpdate();
    }
}
