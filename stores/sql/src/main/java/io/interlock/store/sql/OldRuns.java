package io.interlock.store.sql;

import io.interlock.RunState;
import io.interlock.run.Retention;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Forgets runs that ended long enough ago. It goes through the runs of all tenants in the order of tenant and number, and jumps to
 * the next tenant where those of one become too young. A call looks at so many runs and no more; the next one goes on where it
 * stopped, and after the last tenant comes the first. Safe for use by many threads.
 */
final class OldRuns {

    private static final int PAGE = 100;
    /** How many runs are read first of tenants behind others: most have only young ones. */
    private static final int FIRST_PAGE = 10;

    private static final int FEWEST_LOOKS = 1000;

    private static final String RUNS = """
            SELECT r.run_id, r.tenant, r.number, coalesce(r.state, 'QUEUED'), r.since, r.submitted_at,
                   CASE WHEN r.state = 'DEAD' THEN
                     (SELECT f.settled FROM ${t:failed_run} AS f
                       WHERE f.tenant = r.tenant AND f.state = 'DEAD' AND f.number = r.number) END,
                   (SELECT max(i.until) FROM ${t:idempotency} AS i WHERE i.run_id = r.run_id)
              FROM ${t:run} AS r WHERE r.tenant""";
    private static final String SAME_TENANT = RUNS + " = ? AND r.number > ? ORDER BY r.number LIMIT ?";
    private static final String OTHER_TENANTS = RUNS + " > ? ORDER BY r.tenant, r.number LIMIT ?";

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

        /** Behind all runs of this tenant. */
        Place jumped() {
            return new Place(tenant, Long.MAX_VALUE);
        }

        boolean isJump() {
            return number == Long.MAX_VALUE;
        }
    }

    private record OldRun(
            String id,
            Place place,
            RunState state,
            long since,
            long submittedAt,
            boolean isOpenLetter,
            long nameUntil) {

        static OldRun read(ResultSet row) throws SQLException {
            RunState state = RunState.valueOf(row.getString(4));
            Long settled = KeyRow.number(row, 7);
            // NULL is read as 0.
            return new OldRun(
                    row.getString(1),
                    new Place(row.getString(2), row.getLong(3)),
                    state,
                    row.getLong(5),
                    row.getLong(6),
                    state == RunState.DEAD && settled != null && settled == 0,
                    row.getLong(8));
        }
    }

    /** Forgets up to {@code limit} runs, and says how many. */
    int forget(long now, Retention retention, int limit) {
        long runsThen = now - Micros.of(retention.runs());
        long lettersThen = now - Micros.of(retention.deadLetters());
        Set<String> old = new LinkedHashSet<>();
        Place at = place;
        int ends = at.equals(Place.START) ? 1 : 0;
        int left = Math.max(FEWEST_LOOKS, 10 * limit);
        while (old.size() < limit && left > 0 && ends < 2) {
            int most = at.isJump() ? FIRST_PAGE : PAGE;
            List<OldRun> page = page(at, most);
            left -= Math.max(1, page.size());
            for (OldRun run : page) {
                if (old.size() == limit) {
                    break;
                }
                if (!at.equals(run.place().jumped())) {
                    boolean young = run.submittedAt() > Math.max(runsThen, lettersThen);
                    at = young ? run.place().jumped() : run.place();
                    if (run.state().isTerminal()
                            && run.since() <= (run.isOpenLetter() ? lettersThen : runsThen)
                            && run.nameUntil() <= now) {
                        old.add(run.id());
                    }
                }
            }
            if (page.size() < most && old.size() < limit) {
                at = Place.START;
                ends++;
            }
        }
        place = at;
        return old.isEmpty() ? 0 : delete(old);
    }

    private List<OldRun> page(Place after, int most) {
        return database.peek(transaction -> {
            List<OldRun> page = new ArrayList<>();
            if (!after.isJump()) {
                page.addAll(transaction.list(SAME_TENANT, OldRun::read, after.tenant(), after.number(), most));
            }
            if (page.size() < most) {
                page.addAll(transaction.list(OTHER_TENANTS, OldRun::read, after.tenant(), most - page.size()));
            }
            return page;
        });
    }

    /** Deletes runs with all that belongs to them, without those that another process is about to delete. */
    private int delete(Set<String> ids) {
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
                    Rows.ofTexts(ids));
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
