package io.interlock.store.sqlite;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The table {@code attempt}, on one session. */
final class AttemptTable {

    private static final String INSERT = """
            INSERT INTO ${schema}.${prefix}attempt (number, attempt, ended_at, next, facts)
            VALUES ((SELECT number FROM ${schema}.${prefix}run WHERE run_id = ?), ?, ?, ?, ?)
            """;

    private static final String OF_RUN = """
            SELECT ended_at, next, facts
              FROM ${schema}.${prefix}attempt
             WHERE number = (SELECT number FROM ${schema}.${prefix}run WHERE run_id = ?) ORDER BY attempt
            """;

    private final Session session;

    AttemptTable(Session session) {
        this.session = session;
    }

    void insert(Attempt attempt) throws SQLException {
        FieldText facts = new FieldText();
        StatusText.put(facts, attempt.turn());
        StatusText.put(facts, attempt.error());
        PreparedStatement insert = session.prepare(INSERT);
        insert.setString(1, attempt.run().toString());
        insert.setInt(2, attempt.turn().attempt());
        insert.setLong(3, Micros.of(attempt.endedAt()));
        insert.setString(4, attempt.next().name());
        insert.setString(5, facts.toString());
        insert.executeUpdate();
    }

    /** The attempts of a run that are over, the first one first. */
    List<Attempt> of(RunId run) throws SQLException {
        PreparedStatement ofRun = session.prepare(OF_RUN);
        ofRun.setString(1, run.toString());
        List<Attempt> found = new ArrayList<>();
        try (ResultSet rows = ofRun.executeQuery()) {
            while (rows.next()) {
                found.add(attempt(run, rows));
            }
        }
        return found;
    }

    private static Attempt attempt(RunId run, ResultSet row) throws SQLException {
        try {
            FieldText facts = FieldText.parse(row.getString(3));
            Attempt attempt = new Attempt(
                    run,
                    Objects.requireNonNull(StatusText.turn(facts), "nobody worked"),
                    Micros.moment(row.getLong(1)),
                    RunState.valueOf(row.getString(2)),
                    StatusText.error(facts));
            facts.end();
            return attempt;
        } catch (RuntimeException unreadable) {
            throw new SQLDataException(
                    "an attempt of run " + run + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }
}
