package io.interlock.store.sql;

import io.interlock.RunId;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.Run;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters: the rows of {@code failed_run} in state DEAD, and what was done about them. Changes nothing; what is done about
 * a letter is a step on its key. Safe for use by many threads.
 */
final class DeadLetterTable {

    private static final String SETTLED = "f.settled, f.kind, f.actor, f.reason, f.settled_at, f.successor";
    private static final int SETTLED_COLUMN = 10;
    private static final String LIST = "SELECT " + StoredRuns.ENDED_COLUMNS + ", " + SETTLED
            + " FROM (SELECT x.* FROM ${t:failed_run} AS x WHERE x.state = 'DEAD' AND x.number > ?";
    private static final String LIST_END =
            "ORDER BY x.number LIMIT ?) AS f JOIN ${t:run} AS r ON r.run_id = f.run_id ORDER BY f.number";
    private static final String FIND =
            "SELECT " + SETTLED + " FROM ${t:failed_run} AS f WHERE f.tenant = ? AND f.state = 'DEAD' AND f.number = ?";

    private final Database database;
    private final StoredRuns runs;

    DeadLetterTable(Database database, StoredRuns runs) {
        this.database = database;
        this.runs = runs;
    }

    /** Dead letters in the order in which their runs were submitted. */
    List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return new Filter(LIST, query.after())
                .andIf("AND x.tenant = ?", query.tenant())
                .andIf(
                        Filter.unindexed("x.job = ?"),
                        query.job() == null ? null : query.job().value())
                .and(query.open() ? Filter.unindexed("x.settled = 0") : "")
                .and(LIST_END, query.limit())
                .list(database, this::read);
    }

    /** What was done about a dead run, or {@code null} if nothing was, or if it is not dead. */
    static DeadLetter.@Nullable Disposition disposition(Transaction transaction, Run run) throws SQLException {
        return transaction
                .query(
                        FIND,
                        rows -> rows.next()
                                ? Optional.ofNullable(settled(rows, 1))
                                : Optional.<DeadLetter.Disposition>empty(),
                        run.key().tenant(),
                        run.number())
                .orElse(null);
    }

    private DeadLetter read(ResultSet row) throws SQLException {
        return new DeadLetter(runs.read(row), settled(row, SETTLED_COLUMN));
    }

    private static DeadLetter.@Nullable Disposition settled(ResultSet row, int column) throws SQLException {
        if (row.getInt(column) == 0) {
            return null;
        }
        String successor = row.getString(column + 5);
        return new DeadLetter.Disposition(
                DeadLetter.Disposition.Kind.valueOf(row.getString(column + 1)),
                row.getString(column + 2),
                row.getString(column + 3),
                Micros.moment(row.getLong(column + 4)),
                successor == null ? null : RunId.parse(successor));
    }
}
