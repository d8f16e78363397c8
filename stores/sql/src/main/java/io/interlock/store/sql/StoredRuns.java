package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.Waiter;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs as the table {@code run} keeps them, beside {@code open_run} for those that have not ended. What was asked for never
 * changes, so the last ones read are remembered instead of parsed again. Safe for use by many threads.
 */
final class StoredRuns {

    /** Of {@code run AS r}, which {@link #read} reads from column 1 on. */
    static final String COLUMNS =
            "r.run_id, r.number, r.tenant, r.name, r.submitted_at, r.spec, r.state, r.since, r.status";

    /** The same with {@code open_run AS q}: whether the caller of a waiting run was heard of. */
    static final String OPEN_COLUMNS = COLUMNS + ", q.seen_at, q.missed, q.busy, q.rank, q.claimable";

    /** Finds the row of {@code open_run AS q} of {@code run AS r} by its key, if the run waits. */
    static final String WAITING = """
            q.tenant = r.tenant AND q.busy = 0 AND q.name = r.name
              AND q.rank IN (-r.priority, 1000 - r.priority) AND q.seq = r.number""";

    /** The rank of the first run that is not ready. */
    static final int RESTING = 900;

    /** The rank of a run that rests, before its priority. */
    static final int RESTING_BASE = 1000;

    private static final int REMEMBERED = 4096;

    private final Map<String, SpecText> specs = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SpecText> eldest) {
            return size() > REMEMBERED;
        }
    };

    private volatile long markedMinute = -1;

    /** Whether {@code minute} is known to have its row in {@code run_minute}. */
    boolean isMarked(long minute) {
        return markedMinute == minute;
    }

    /** {@code minute} has its row. */
    void marked(long minute) {
        markedMinute = minute;
    }

    /** A waiting run and the rank it has in the table. */
    record Waiting(Run run, int rank) {}

    Run read(ResultSet row) throws SQLException {
        String id = row.getString(1);
        try {
            SpecText asked = spec(id, row.getString(6));
            RunStatus status = StatusText.read(
                    row.getString(9), RunState.valueOf(row.getString(7)), Micros.moment(row.getLong(8)));
            return new Run(
                    RunId.parse(id),
                    LockKey.of(row.getString(3), row.getString(4)),
                    row.getLong(2),
                    Micros.moment(row.getLong(5)),
                    asked.spec(),
                    asked.line(),
                    status);
        } catch (RuntimeException unreadable) {
            throw new SQLDataException("run " + id + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    /** A run with {@link #OPEN_COLUMNS}. */
    Run readOpen(ResultSet row) throws SQLException {
        Run run = read(row);
        Long seen = KeyRow.number(row, 10);
        return seen == null || run.state() != RunState.QUEUED
                ? run
                : run.with(run.status().waiting(new Waiter(Micros.moment(seen), row.getInt(11) == 1)));
    }

    List<Run> readAll(ResultSet rows) throws SQLException {
        List<Run> found = new ArrayList<>();
        while (rows.next()) {
            found.add(read(rows));
        }
        return found;
    }

    private SpecText spec(String id, String written) {
        synchronized (specs) {
            SpecText known = specs.get(id);
            if (known != null) {
                return known;
            }
        }
        SpecText read = SpecText.read(written);
        synchronized (specs) {
            specs.put(id, read);
        }
        return read;
    }
}
