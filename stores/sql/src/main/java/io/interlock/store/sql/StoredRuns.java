package io.interlock.store.sql;

import io.interlock.BoundedMap;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.LineRules.Standing;
import io.interlock.time.Environment.Ticker;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Runs as the tables keep them: what was asked for and how it ended in {@code run}, where they stand until then in {@code
 * open_run}. What is asked for is often the same, so the last ones read are remembered instead of parsed again. Safe for use by
 * many threads.
 */
final class StoredRuns {

    private static final String ASKED_FOR = "r.run_id, r.number, r.tenant, r.name, r.submitted_at, r.spec, ";
    private static final String OF_QUEUE = ", q.seen_at, q.missed, q.busy, q.rank, q.claimable";

    /** Of {@code run AS r} that has ended, for {@link #read}. */
    static final String ENDED_COLUMNS = ASKED_FOR + "r.state, r.since, r.status";

    /** Of {@code run AS r} with its {@code open_run AS q}, for {@link #readOpen}. */
    static final String OPEN_COLUMNS = ASKED_FOR + "q.state, q.since, q.status" + OF_QUEUE;

    /** Of {@code run AS r}, which may have ended or not, with {@link #OPEN}; for {@link #readOpen}. */
    static final String COLUMNS = ASKED_FOR
            + "coalesce(r.state, q.state, b.state), coalesce(r.since, q.since, b.since), coalesce(r.status, q.status, b.status)"
            + OF_QUEUE;

    /** Finds the row of {@code open_run AS q} of {@code run AS r} by its key, if the run waits. */
    static final String WAITING = """
            q.tenant = r.tenant AND q.busy = 0 AND q.name = r.name
              AND q.rank IN (r.place, %d + r.place) AND q.seq = r.number""".formatted(LineRules.RESTING_BASE);

    /** Joins what is kept of {@code run AS r} while it has not ended, by key. */
    static final String OPEN = " LEFT JOIN ${t:open_run} AS q ON " + WAITING
            + " LEFT JOIN ${t:open_run} AS b ON b.tenant = r.tenant AND b.busy = 1 AND b.name = r.name AND b.rank = 0"
            + " AND b.seq = 0 AND b.run_id = r.run_id";

    static final String FIND =
            "SELECT " + COLUMNS + " FROM ${t:run} AS r" + OPEN + " WHERE r.run_id = CAST(? AS ${uuid})";

    private static final int REMEMBERED = 4096;

    private static final int MOST_LEFT_OUT = 1000;
    private static final long LEFT_OUT_FOR = TimeUnit.SECONDS.toNanos(30);

    private final Ticker ticker;
    private final Map<String, SpecText> specs = Collections.synchronizedMap(BoundedMap.ofLastUsed(REMEMBERED));
    // Until when, in nanoseconds.
    private final Map<LockKey, Long> leftOut = Collections.synchronizedMap(BoundedMap.ofLastUsed(MOST_LEFT_OUT));

    StoredRuns(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Steps on many keys leave out this one for a while, because a run of it could not be read: a step that meets it fails for all its
     * keys. Only the last {@value #MOST_LEFT_OUT} are remembered: of more such keys each step may meet one again.
     *
     * @return whether it is the first time
     */
    boolean leaveOut(LockKey key) {
        return leftOut.put(key, ticker.nanos() + LEFT_OUT_FOR) == null;
    }

    /** Whether a run of the key could not be read a short time ago, as far as that is remembered. */
    boolean isLeftOut(LockKey key) {
        Long until = leftOut.get(key);
        return until != null && ticker.nanos() - until < 0;
    }

    /** How many such keys there are. */
    int leftOut() {
        long now = ticker.nanos();
        synchronized (leftOut) {
            return (int)
                    leftOut.values().stream().filter(until -> now - until < 0).count();
        }
    }

    /** A row that says something this program does not understand. All other rows may be fine. */
    static final class UnreadableRow extends SQLDataException {

        private static final long serialVersionUID = 1L;

        UnreadableRow(String message, RuntimeException cause) {
            super(message, cause);
        }
    }

    Run read(ResultSet row) throws SQLException {
        String id = row.getString(1);
        try {
            SpecText asked = spec(row.getString(6));
            RunStatus status = StatusText.read(
                    RunId.parse(id),
                    row.getString(9),
                    RunState.valueOf(row.getString(7)),
                    Micros.moment(row.getLong(8)));
            return new Run(
                    RunId.parse(id),
                    LockKey.of(row.getString(3), row.getString(4)),
                    row.getLong(2),
                    Micros.moment(row.getLong(5)),
                    asked.spec(),
                    asked.line(),
                    status);
        } catch (RuntimeException unreadable) {
            throw new UnreadableRow("run " + id + " cannot be read: " + unreadable.getMessage(), unreadable);
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

    /** A waiting run with {@link #OPEN_COLUMNS}, and the rank it has in the table. */
    Standing readStanding(ResultSet row) throws SQLException {
        return new Standing(readOpen(row), row.getLong(13));
    }

    Optional<Run> find(Transaction transaction, RunId id) throws SQLException {
        return transaction.query(FIND, Trip.first(this::readOpen), id.toString());
    }

    private SpecText spec(String written) {
        SpecText known = specs.get(written);
        if (known == null) {
            known = SpecText.read(written);
            specs.put(written, known);
        }
        return known;
    }
}
