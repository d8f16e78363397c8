package io.interlock.store.sql;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.HoldTimes;
import io.interlock.run.JobName;
import io.interlock.run.RefusalCount;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunNotes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables {@code refusal_count}, {@code run_period}, {@code worker} and {@code bookmark}. None of them decides about a key.
 * The rows of a step are locked in the order of their keys. Safe for use by many threads.
 */
final class NoteTable implements RunNotes {

    static final String COUNT_KEY = "tenant text, name text, minute bigint, node text, policy text, outcome text";
    private static final String COUNT = "count bigint, last text";
    private static final String REFUSALS = """
            SELECT c.node, c.minute, c.policy, c.outcome, c.count, c.last FROM ${t:refusal_count} AS c
             WHERE c.tenant = ? AND c.name = ? AND c.minute >= ? ORDER BY c.minute, c.node, c.policy, c.outcome""";

    static final String PERIOD_KEY = "tenant text, seconds bigint, job text, start_at bigint";
    private static final String FACTS = "facts text";
    private static final String PERIODS = "SELECT " + Dialect.select("p", PERIOD_KEY + ", " + FACTS);
    private static final String LOCK_PERIODS = PERIODS + " FROM ${rows:k(" + PERIOD_KEY + ")} JOIN ${t:run_period} AS p"
            + " ON p.tenant = k.tenant AND p.seconds = k.seconds AND p.job = k.job AND p.start_at = k.start_at"
            + " ORDER BY k.pos ${lock:p}";
    private static final String LIST_PERIODS =
            PERIODS + " FROM ${t:run_period} AS p WHERE p.tenant = ? AND p.seconds = ?";

    static final String WORKER_KEY = "instance text";
    private static final String WORKER =
            "label text, jobs text, slots int, busy int, version text, seen_at bigint, tenant text";
    private static final String WORKERS =
            "SELECT " + Dialect.select("w", WORKER_KEY + ", " + WORKER) + " FROM ${t:worker} AS w WHERE w.tenant";
    private static final String LAST_SEEN = "ORDER BY w.seen_at DESC, w.instance LIMIT ?";
    private static final String REMOTE = "SELECT w.instance FROM ${t:worker} AS w WHERE w.tenant";
    // A worker of before that no longer counts. A few at a time, as one comes with each new name.
    private static final String TOO_MANY = "AND w.version = 'remote' AND w.instance <> ? " + LAST_SEEN + " OFFSET ?";
    private static final int FORGOTTEN_AT_ONCE = 100;

    private static final String BOOKMARK = "SELECT b.value FROM ${t:bookmark} AS b WHERE b.name = ?";
    private static final String MOVE_BOOKMARK = "UPDATE ${t:bookmark} SET value = ? WHERE name = ? AND value = ?";

    private final Database database;

    NoteTable(Database database) {
        this.database = database;
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
        if (more.isEmpty()) {
            return;
        }
        Map<String, RunPeriod> added = new TreeMap<>();
        more.forEach(period -> added.merge(identity(period), period, RunPeriod::plus));
        Rows keys = new Rows();
        Rows empty = new Rows();
        for (RunPeriod period : added.values()) {
            keys.add(key(period));
            empty.add(row(period, text(RunPeriod.empty("", null, period.length(), period.start()))));
        }
        database.write(Database.Lane.STEPS, transaction -> {
            if (transaction.mayHaveBeenDone()) {
                return 0;
            }
            Dialect dialect = transaction.dialect();
            Trip first = transaction.trip();
            first.update(dialect.insertMissing("run_period", PERIOD_KEY, FACTS), empty);
            Trip.Answer<List<RunPeriod>> known = first.list(LOCK_PERIODS, NoteTable::readPeriod, keys);
            first.run();
            Map<String, RunPeriod> sums = new TreeMap<>(added);
            known.get().forEach(period -> sums.merge(identity(period), period, RunPeriod::plus));
            Rows rows = new Rows();
            sums.values().forEach(period -> rows.add(row(period, text(period))));
            return transaction.commit(dialect.update("run_period", PERIOD_KEY, FACTS), rows);
        });
    }

    @Override
    public List<RunPeriod> periods(PeriodQuery query) {
        return new Filter(LIST_PERIODS, query.tenant(), query.length().time().toSeconds())
                .and(query.eachJob() ? "AND p.job > ?" : "AND p.job = ?", name(query.eachJob() ? null : query.job()))
                .and("AND p.start_at >= ? ORDER BY p.start_at, p.job", Micros.ceiling(query.since()))
                .list(database, NoteTable::readPeriod);
    }

    private static @Nullable Object[] key(RunPeriod period) {
        return new @Nullable Object[] {
            period.tenant(), period.length().time().toSeconds(), name(period.job()), Micros.of(period.start())
        };
    }

    private static @Nullable Object[] row(RunPeriod period, String facts) {
        @Nullable Object[] row = Arrays.copyOf(key(period), 5);
        row[4] = facts;
        return row;
    }

    /** A text in the order of the keys. */
    private static String identity(RunPeriod period) {
        return period.tenant() + "\n" + period.length() + "\n" + name(period.job()) + "\n" + period.start();
    }

    private static String name(@Nullable JobName job) {
        return job == null ? "" : job.value();
    }

    private static String text(RunPeriod period) {
        return period.succeeded() + " " + period.failed() + " " + period.stopped() + " " + period.waiting() + "|"
                + period.holds();
    }

    private static RunPeriod readPeriod(ResultSet row) throws SQLException {
        String job = row.getString(3);
        String facts = row.getString(5);
        int bar = facts.indexOf('|');
        String[] counts = facts.substring(0, bar).split(" ", -1);
        return new RunPeriod(
                row.getString(1),
                job.isEmpty() ? null : new JobName(job),
                length(row.getLong(2)),
                Micros.moment(row.getLong(4)),
                Long.parseLong(counts[0]),
                Long.parseLong(counts[1]),
                Long.parseLong(counts[2]),
                Long.parseLong(counts[3]),
                HoldTimes.parse(facts.substring(bar + 1)));
    }

    private static RunPeriod.Length length(long seconds) throws SQLException {
        for (RunPeriod.Length length : RunPeriod.Length.values()) {
            if (length.time().toSeconds() == seconds) {
                return length;
            }
        }
        throw new SQLException("no length of a period: " + seconds + " s");
    }

    @Override
    public void noteWorker(WorkerNote note) {
        String instance = Texts.shown(note.worker().instance());
        String tenant = note.tenant();
        database.write(Database.Lane.STEPS, transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            Rows tooMany = new Rows();
            if (note.isRemote()) {
                of(tenant, REMOTE)
                        .and(TOO_MANY, instance, FORGOTTEN_AT_ONCE, WorkerNote.MOST_REMOTE - 1)
                        .ask(trip, Trip.forEach(row -> tooMany.add(row.getString(1))));
            }
            trip.run();
            Dialect dialect = transaction.dialect();
            Trip last = transaction.trip();
            Rows rows = Rows.of(
                    instance,
                    Texts.shown(note.worker().label()),
                    note.jobs().stream().map(JobName::value).sorted().collect(Collectors.joining(" ")),
                    note.slots(),
                    note.busy(),
                    Texts.shown(note.version()),
                    store.get().now(),
                    tenant);
            dialect.put(last, "worker", WORKER_KEY, WORKER, rows);
            if (!tooMany.isEmpty()) {
                last.update(dialect.delete("worker", WORKER_KEY), tooMany);
            }
            transaction.commit(last);
            return instance;
        });
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return database.peek(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            // Each by the index: what other tenants have is not looked at.
            Trip.Answer<List<WorkerNote>> own =
                    of(tenant, WORKERS).and(LAST_SEEN, limit).list(trip, NoteTable::readWorker);
            Trip.Answer<List<WorkerNote>> ofAny =
                    of(null, WORKERS).and(LAST_SEEN, limit).list(trip, NoteTable::readWorker);
            trip.run();
            long since = store.get().now() - Micros.of(time);
            return Stream.concat(own.get().stream(), ofAny.get().stream())
                    .filter(note -> Micros.of(note.seenAt()) >= since)
                    .sorted(Comparator.comparing(WorkerNote::seenAt)
                            .reversed()
                            .thenComparing(note -> note.worker().instance()))
                    .limit(limit)
                    .toList();
        });
    }

    private static Filter of(@Nullable String tenant, String select) {
        return tenant == null ? new Filter(select + " IS NULL") : new Filter(select + " = ?", tenant);
    }

    private static WorkerNote readWorker(ResultSet row) throws SQLException {
        return new WorkerNote(
                new Holder(row.getString(1), row.getString(2)),
                row.getString(8),
                Stream.of(row.getString(3).split(" ", -1))
                        .filter(name -> !name.isEmpty())
                        .map(JobName::new)
                        .collect(Collectors.toSet()),
                row.getInt(4),
                row.getInt(5),
                row.getString(6),
                Micros.moment(row.getLong(7)));
    }

    @Override
    public long bookmark(String name) {
        String exact = Texts.exact("bookmark", name);
        return database.peek(transaction -> bookmark(transaction, exact));
    }

    private static long bookmark(Transaction transaction, String name) throws SQLException {
        return transaction.query(BOOKMARK, Trip.NUMBER, name);
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        String exact = Texts.exact("bookmark", name);
        return database.write(Database.Lane.STEPS, transaction -> {
            Trip trip = transaction.trip();
            if (expected == 0) {
                // One that is missing stands at 0.
                Rows first = Rows.of(exact, 0L);
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
