package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.spi.run.rules.Explaining;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables {@code run} and {@code run_spec}, on one session. */
final class RunTable {

    private static final String SELECT = """
            SELECT number, run_id, tenant, name, submitted_at, state, since, status, spec
              FROM ${schema}.${prefix}run AS run %s JOIN ${schema}.${prefix}run_spec USING (number)
            """;

    private static final String COLUMNS = String.format(SELECT, "");

    private static final String FIND = COLUMNS + "WHERE run_id = ?";

    // Left to itself, SQLite takes the index that has the key's whole history in it.
    private static final String OPEN = String.format(SELECT, "INDEXED BY ${prefix}run_open") + """
            WHERE tenant = ? AND name = ? AND state IN ('QUEUED', 'PENDING', 'RUNNING')
            """;

    private static final String PAST = COLUMNS + """
            WHERE tenant = ? AND name = ? AND state = 'SUCCEEDED' ORDER BY since DESC LIMIT ?
            """;

    private static final String BUSY = """
            SELECT count(*) FROM ${schema}.${prefix}run WHERE tenant = ? AND state IN ('PENDING', 'RUNNING')
            """;

    private static final String NEXT_NUMBER = """
            SELECT coalesce(max(seq), 0) + 1 FROM ${schema}.sqlite_sequence WHERE name = '${prefix}run'
            """;

    private static final String INSERT = """
            INSERT INTO ${schema}.${prefix}run
              (number, run_id, tenant, name, job, priority, submitted_at, state, since, status)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String INSERT_SPEC = "INSERT INTO ${schema}.${prefix}run_spec (number, spec) VALUES (?, ?)";

    private static final String UPDATE =
            "UPDATE ${schema}.${prefix}run SET state = ?, since = ?, status = ? WHERE number = ?";

    private final Session session;

    RunTable(Session session) {
        this.session = session;
    }

    @Nullable
    Run find(RunId id) throws SQLException {
        PreparedStatement find = session.prepare(FIND);
        find.setString(1, id.toString());
        List<Run> found = runs(find);
        return found.isEmpty() ? null : found.get(0);
    }

    /** The runs of a key that have not ended. */
    Map<RunId, Run> open(LockKey key) throws SQLException {
        PreparedStatement open = session.prepare(OPEN);
        open.setString(1, key.tenant());
        open.setString(2, key.name());
        Map<RunId, Run> found = new HashMap<>();
        for (Run run : runs(open)) {
            found.put(run.id(), run);
        }
        return found;
    }

    /** How long the last attempts of the key's last successful runs took. */
    List<Duration> pastRuntimes(LockKey key) throws SQLException {
        PreparedStatement past = session.prepare(PAST);
        past.setString(1, key.tenant());
        past.setString(2, key.name());
        past.setInt(3, Explaining.PAST);
        return runs(past).stream()
                .flatMap(run -> run.status().lastTurn().stream()
                        .map(turn ->
                                Duration.between(turn.startedAt(), run.status().since())))
                .toList();
    }

    /** What {@code query} asks for, and one more if there is one. */
    List<Run> list(RunQuery query) throws SQLException {
        return list(Filter.of(query));
    }

    List<Run> list(Filter filter) throws SQLException {
        return runs(filter.prepare(session, COLUMNS));
    }

    /** How many runs of a tenant are PENDING or RUNNING. */
    int busy(String tenant) throws SQLException {
        PreparedStatement busy = session.prepare(BUSY);
        busy.setString(1, tenant);
        try (ResultSet row = busy.executeQuery()) {
            return row.next() ? row.getInt(1) : 0;
        }
    }

    /** The number a new run has. */
    long nextNumber() throws SQLException {
        try (ResultSet row = session.prepare(NEXT_NUMBER).executeQuery()) {
            return row.next() ? row.getLong(1) : 1;
        }
    }

    void insert(Run run) throws SQLException {
        PreparedStatement insert = session.prepare(INSERT);
        insert.setLong(1, run.number());
        insert.setString(2, run.id().toString());
        insert.setString(3, run.key().tenant());
        insert.setString(4, run.key().name());
        insert.setString(5, run.job().value());
        insert.setInt(6, run.spec().priority());
        insert.setLong(7, Micros.of(run.submittedAt()));
        insert.setString(8, run.state().name());
        insert.setLong(9, Micros.of(run.status().since()));
        insert.setString(10, StatusText.write(run.status()));
        insert.executeUpdate();
        PreparedStatement spec = session.prepare(INSERT_SPEC);
        spec.setLong(1, run.number());
        spec.setString(2, new SpecText(run.spec(), run.line()).write());
        spec.executeUpdate();
    }

    void update(Run run) throws SQLException {
        PreparedStatement update = session.prepare(UPDATE);
        update.setString(1, run.state().name());
        update.setLong(2, Micros.of(run.status().since()));
        update.setString(3, StatusText.write(run.status()));
        update.setLong(4, run.number());
        update.executeUpdate();
    }

    private static List<Run> runs(PreparedStatement query) throws SQLException {
        List<Run> found = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                found.add(run(rows));
            }
        }
        return found;
    }

    private static Run run(ResultSet row) throws SQLException {
        String id = row.getString(2);
        try {
            SpecText asked = SpecText.read(row.getString(9));
            return new Run(
                    RunId.parse(id),
                    LockKey.of(row.getString(3), row.getString(4)),
                    row.getLong(1),
                    Micros.moment(row.getLong(5)),
                    asked.spec(),
                    asked.line(),
                    StatusText.read(
                            row.getString(8), RunState.valueOf(row.getString(6)), Micros.moment(row.getLong(7))));
        } catch (RuntimeException unreadable) {
            throw new SQLDataException("run " + id + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }
}
