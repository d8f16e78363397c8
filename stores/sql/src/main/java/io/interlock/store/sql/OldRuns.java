package io.interlock.store.sql;

import io.interlock.RunState;
import io.interlock.run.Retention;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Forgets runs that ended long enough ago. It goes from tenant to tenant, through the runs of each in the order of their
 * numbers, and on to the next tenant where they become too young. A call looks at so many runs and no more; the next one goes
 * on where it stopped, and after the last tenant comes the first. Safe for use by many threads.
 */
final class OldRuns {

    private static final int TENANTS = 100;
    private static final int PAGE = 1000;

    // The next tenants, each with the time of its first run: one step into the index for each of them.
    private static final String NEXT_TENANTS = """
            WITH RECURSIVE n (tenant, place) AS (
              SELECT min(f.tenant), 1 FROM ${t:run} AS f WHERE f.tenant > ?
              UNION ALL
              SELECT (SELECT min(g.tenant) FROM ${t:run} AS g WHERE g.tenant > n.tenant), n.place + 1
                FROM n WHERE n.tenant IS NOT NULL AND n.place < ?)
            SELECT n.tenant,
                   (SELECT r.submitted_at FROM ${t:run} AS r WHERE r.tenant = n.tenant ORDER BY r.number LIMIT 1)
              FROM n WHERE n.tenant IS NOT NULL ORDER BY n.place""";

    private static final String RUNS = """
            SELECT r.run_id, r.number, coalesce(r.state, 'QUEUED'), r.since, r.submitted_at,
                   CASE WHEN r.state = 'DEAD' THEN
                     (SELECT f.settled FROM ${t:failed_run} AS f
                       WHERE f.tenant = r.tenant AND f.state = 'DEAD' AND f.number = r.number) END,
                   (SELECT max(i.until) FROM ${t:idempotency} AS i WHERE i.run_id = r.run_id)
              FROM ${t:run} AS r WHERE r.tenant = ? AND r.number > ? ORDER BY r.number LIMIT ?""";

    private static final String LOCK = """
            SELECT r.run_id, r.tenant, r.state, r.number FROM ${rows:k(run_id uuid)}
              JOIN ${t:run} AS r ON r.run_id = k.run_id
             WHERE r.state IS NOT NULL ORDER BY k.pos ${skip:r}""";

    private final Database database;
    private volatile Place place = Place.START;

    OldRuns(Database database) {
        this.database = database;
    }

    /** The last run that was looked at. */
    private record Place(String tenant, long number) {

        static final Place START = new Place("", 0);
    }

    /** A tenant, and when the first of its runs was submitted. */
    private record Tenant(String name, long firstSubmitted) {}

    private record OldRun(
            String id, long number, RunState state, long since, long submittedAt, boolean open, long nameUntil) {

        static OldRun read(ResultSet row) throws SQLException {
            RunState state = RunState.valueOf(row.getString(3));
            Long settled = KeyRow.number(row, 6);
            boolean open = state == RunState.DEAD && settled != null && settled == 0;
            Long until = KeyRow.number(row, 7);
            return new OldRun(
                    row.getString(1),
                    row.getLong(2),
                    state,
                    row.getLong(4),
                    row.getLong(5),
                    open,
                    until == null ? 0 : until);
        }
    }

    /** Forgets up to {@code limit} runs, and says how many. */
    int forget(long now, Retention retention, int limit) {
        Walk walk = new Walk(now, retention, limit, place);
        Rows old = walk.go();
        place = walk.place();
        return old.isEmpty() ? 0 : delete(old);
    }

    /** Looks for old runs. Belongs to one thread. */
    private final class Walk {

        private final long now;
        private final long runsThen;
        private final long lettersThen;
        private final int limit;
        private final Place start;
        private final Rows old = new Rows();
        private final Deque<Tenant> tenants = new ArrayDeque<>();
        private int left;
        private boolean aroundTheEnd;
        private Place at;
        private boolean within;

        Walk(long now, Retention retention, int limit, Place start) {
            this.now = now;
            this.limit = limit;
            this.start = start;
            runsThen = now - Micros.of(retention.runs());
            lettersThen = now - Micros.of(retention.deadLetters());
            left = Math.max(PAGE, 10 * limit);
            at = start;
            within = !start.tenant().isEmpty();
        }

        Place place() {
            return at;
        }

        Rows go() {
            while (old.size() < limit && left > 0 && (within || nextTenant())) {
                look();
            }
            return old;
        }

        private void look() {
            int page = Math.min(PAGE, left);
            Place from = at;
            List<OldRun> runs = database.peek(
                    transaction -> transaction.list(RUNS, OldRun::read, from.tenant(), from.number(), page));
            for (OldRun run : runs) {
                boolean young = run.submittedAt() > Math.max(runsThen, lettersThen);
                boolean seen = aroundTheEnd && at.tenant().equals(start.tenant()) && run.number() > start.number();
                if (young || seen) {
                    within = false;
                    return;
                }
                left--;
                at = new Place(at.tenant(), run.number());
                if (isOld(run)) {
                    old.add(run.id());
                    if (old.size() == limit) {
                        return;
                    }
                }
            }
            within = runs.size() == page;
        }

        private boolean isOld(OldRun run) {
            return run.state().isTerminal()
                    && run.since() <= (run.open() ? lettersThen : runsThen)
                    && run.nameUntil() <= now;
        }

        /** Goes on to the next tenant with a run that is old enough; false if all have been looked at. */
        private boolean nextTenant() {
            while (left > 0) {
                Tenant next = tenants.poll();
                if (next == null) {
                    if (!readTenants()) {
                        return false;
                    }
                } else if (aroundTheEnd && next.name().compareTo(start.tenant()) > 0) {
                    at = Place.START;
                    return false;
                } else {
                    left--;
                    at = new Place(next.name(), 0);
                    within = next.firstSubmitted() <= Math.max(runsThen, lettersThen);
                    if (within) {
                        return true;
                    }
                }
            }
            return false;
        }

        private boolean readTenants() {
            String behind = at.tenant();
            tenants.addAll(
                    database.peek(transaction -> transaction.list(NEXT_TENANTS, OldRuns::readTenant, behind, TENANTS)));
            if (tenants.isEmpty()) {
                at = Place.START;
                boolean all = aroundTheEnd || start.tenant().isEmpty();
                aroundTheEnd = true;
                return !all;
            }
            return true;
        }
    }

    private static Tenant readTenant(ResultSet row) throws SQLException {
        return new Tenant(row.getString(1), row.getLong(2));
    }

    /** Deletes runs with all that belongs to them, without those that another process is about to delete. */
    private int delete(Rows old) {
        return database.write(Database.Lane.STEPS, transaction -> {
            Rows runs = new Rows();
            Rows numbers = new Rows();
            Rows failed = new Rows();
            transaction.query(
                    LOCK,
                    Trip.forEach(row -> {
                        runs.add(row.getString(1));
                        numbers.add(row.getLong(4));
                        if (!row.getString(3).equals(RunState.SUCCEEDED.name())) {
                            failed.add(row.getString(2), row.getString(3), row.getLong(4));
                        }
                    }),
                    old);
            if (runs.isEmpty()) {
                return 0;
            }
            Dialect dialect = transaction.dialect();
            Trip trip = transaction.trip();
            trip.update(dialect.delete("attempt", "run_id uuid"), runs);
            trip.update(dialect.delete("output", "run_id uuid"), runs);
            trip.update(dialect.delete("run_label", "number bigint"), numbers);
            if (!failed.isEmpty()) {
                trip.update(dialect.delete("failed_run", "tenant text, state text, number bigint"), failed);
            }
            trip.update(dialect.delete("run", "run_id uuid"), runs);
            transaction.commit(trip);
            return runs.size();
        });
    }
}
