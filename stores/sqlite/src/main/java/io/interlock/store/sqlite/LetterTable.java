package io.interlock.store.sqlite;

import io.interlock.RunId;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.Disposition;
import io.interlock.run.Run;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Dead letters, on one session: runs that are DEAD, and the table {@code disposition}. */
final class LetterTable {

    private static final String FIND = """
            SELECT kind, actor, reason, at, successor FROM ${schema}.${prefix}disposition WHERE number = ?
            """;

    private static final String PUT = """
            INSERT INTO ${schema}.${prefix}disposition (number, kind, actor, reason, at, successor)
            VALUES (?, ?, ?, ?, ?, ?)
            """;

    private static final String DEAD = "WHERE state = 'DEAD' AND number > ? ";

    private static final String OPEN = """
            AND NOT EXISTS (SELECT 1 FROM ${schema}.${prefix}disposition AS done WHERE done.number = run.number)
            """;

    private final Session session;

    LetterTable(Session session) {
        this.session = session;
    }

    /** What was done about a run, or {@code null} if nothing was. */
    @Nullable
    Disposition find(Run run) throws SQLException {
        PreparedStatement find = session.prepare(FIND);
        find.setLong(1, run.number());
        try (ResultSet row = find.executeQuery()) {
            return row.next() ? disposition(row) : null;
        }
    }

    void put(DeadLetter letter) throws SQLException {
        Disposition done = letter.disposition();
        if (done != null) {
            RunId successor = done.successor();
            PreparedStatement put = session.prepare(PUT);
            put.setLong(1, letter.run().number());
            put.setString(2, done.kind().name());
            put.setString(3, done.actor());
            put.setString(4, done.reason());
            put.setLong(5, Micros.of(done.at()));
            put.setString(6, successor == null ? null : successor.toString());
            put.executeUpdate();
        }
    }

    List<DeadLetter> list(DeadLetterQuery query) throws SQLException {
        Filter filter = new Filter(DEAD, query.after());
        if (query.tenant() != null) {
            filter.and("AND tenant = ? ", query.tenant());
        }
        if (query.job() != null) {
            filter.and("AND job = ? ", query.job().value());
        }
        if (query.open()) {
            filter.and(OPEN);
        }
        filter.and("ORDER BY number LIMIT ?", query.limit());
        List<DeadLetter> letters = new ArrayList<>();
        for (Run run : new RunTable(session).list(filter)) {
            letters.add(new DeadLetter(run, find(run)));
        }
        return letters;
    }

    private static Disposition disposition(ResultSet row) throws SQLException {
        String successor = row.getString(5);
        return new Disposition(
                Disposition.Kind.valueOf(row.getString(1)),
                row.getString(2),
                row.getString(3),
                Micros.moment(row.getLong(4)),
                successor == null ? null : RunId.parse(successor));
    }
}
