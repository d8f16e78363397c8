package io.interlock.store.sql;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.RefusalCount;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunNotes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tables {@code refusal_count}, {@code run_period}, {@code worker} and {@code bookmark}. None of them decides about a key.
 * Safe for use by many threads.
 */
final class NoteTable implements RunNotes {

    private static final String COUNT_KEY =
            "tenant text, name text, minute bigint, node text, policy text, outcome text";
    private static final String COUNT = "count bigint, last text";
    private static final String REFUSALS = """
            SELECT c.node, c.minute, c.policy, c.outcome, c.count, c.last FROM ${t:refusal_count} AS c
             WHERE c.tenant = ? AND c.name = ? AND c.minute >= ? ORDER BY c.minute, c.node, c.policy, c.outcome""";

    private static final String BOOKMARK = "SELECT b.value FROM ${t:bookmark} AS b WHERE b.name = ?";
    private static final String MOVE_BOOKMARK = "UPDATE ${t:bookmark} SET value = ? WHERE name = ? AND value = ?";

    private final Database database;
    private final WorkerTable workers;
    private final PeriodTable periods;

    NoteTable(Database database) {
        this.database = database;
        workers = new WorkerTable(database);
        periods = new PeriodTable(database);
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        if (counts.isEmpty()) {
            return;
        }
        Rows rows = greatest(counts);
        database.write(Database.Lane.STEPS, transaction -> {
            Dialect dialect = transaction.dialect();
            Trip trip = transaction.trip();
            trip.update(dialect.insertMissing("refusal_count", COUNT_KEY, COUNT), rows);
            trip.update(dialect.update("refusal_count", COUNT_KEY, COUNT, "t.count < k.count"), rows);
            transaction.commit(trip);
            return rows.size();
        });
    }

    /** One count for each minute, process, policy and outcome, in the order of their keys, in which rows are locked. */
    private static Rows greatest(List<RefusalCount> counts) {
        Map<String, RefusalCount> greatest = new TreeMap<>();
        for (RefusalCount count : counts) {
            String key = String.join(
                    "\n",
                    count.key().encoded(),
                    count.minute().toString(),
                    count.policy().name(),
                    count.outcome().name(),
                    Texts.shown(count.node()));
            greatest.merge(key, count, (a, b) -> a.count() >= b.count() ? a : b);
        }
        Rows rows = new Rows();
        for (RefusalCount count : greatest.values()) {
            rows.add(
                    count.key().tenant(),
                    count.key().name(),
                    Micros.of(count.minute()),
                    Texts.shown(count.node()),
                    count.policy().name(),
                    count.outcome().name(),
                    count.count(),
                    Texts.shown(count.last()));
        }
        return rows;
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return new Filter(REFUSALS, key.tenant(), key.name(), Micros.ceiling(since))
                .list(database, row -> readCount(key, row));
    }

    private static RefusalCount readCount(LockKey key, ResultSet row) throws SQLException {
        return new RefusalCount(
                key,
                row.getString(1),
                Micros.moment(row.getLong(2)),
                ConflictPolicy.valueOf(row.getString(3)),
                RefusalCount.Outcome.valueOf(row.getString(4)),
                row.getLong(5),
                row.getString(6));
    }

    @Override
    public void addPeriods(List<RunPeriod> more) {
        periods.add(more);
    }

    @Override
    public List<RunPeriod> periods(PeriodQuery query) {
        return periods.list(query);
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        workers.put(worker);
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return workers.seenWithin(tenant, time, limit);
    }

    @Override
    public long bookmark(String name) {
        String exact = Texts.exact("bookmark", name);
        return database.peek(transaction -> bookmark(transaction, exact));
    }

    private static long bookmark(Transaction transaction, String name) throws SQLException {
        return transaction.query(BOOKMARK, rows -> rows.next() ? rows.getLong(1) : 0L, name);
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        String exact = Texts.exact("bookmark", name);
        return database.write(Database.Lane.STEPS, transaction -> {
            Trip trip = transaction.trip();
            if (expected == 0) {
                // One that is missing stands at 0.
                Rows first = new Rows().add(exact, 0L);
                trip.update(transaction.dialect().insertMissing("bookmark", "name text", "value bigint"), first);
            }
            Trip.Answer<Boolean> moved = trip.update(MOVE_BOOKMARK, value, exact, expected);
            trip.run();
            if (moved.count() > 0) {
                transaction.commit();
                return true;
            }
            // Is it there because of our own first attempt, or of another process? Only one may believe it was the one.
            if (transaction.mayHaveBeenDone() && bookmark(transaction, exact) == value) {
                throw new StoreUnavailableException(
                        database.store(),
                        "lost the connection while bookmark " + name + " was moved; by which process is not known");
            }
            return false;
        });
    }
}
