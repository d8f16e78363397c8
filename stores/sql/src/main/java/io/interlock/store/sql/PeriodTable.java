package io.interlock.store.sql;

import io.interlock.run.HoldTimes;
import io.interlock.run.JobName;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code run_period}: what became of runs in periods. The rows of a step are locked in the order of their keys. Safe for use by
 * many threads.
 */
final class PeriodTable {

    /** The columns of the key. */
    static final String KEY = "tenant text, seconds bigint, job text, start_at bigint";

    private static final String FACTS = "facts text";
    private static final String SELECT = "SELECT " + Dialect.select("p", KEY + ", " + FACTS);
    private static final String LOCK = SELECT + " FROM ${rows:k(" + KEY + ")} JOIN ${t:run_period} AS p"
            + " ON p.tenant = k.tenant AND p.seconds = k.seconds AND p.job = k.job AND p.start_at = k.start_at"
            + " ORDER BY k.pos ${lock:p}";
    private static final String LIST = SELECT + " FROM ${t:run_period} AS p WHERE p.tenant = ? AND p.seconds = ?";

    private final Database database;

    PeriodTable(Database database) {
        this.database = database;
    }

    void add(List<RunPeriod> more) {
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
            first.update(dialect.insertMissing("run_period", KEY, FACTS), empty);
            Trip.Answer<List<RunPeriod>> known = first.list(LOCK, PeriodTable::read, keys);
            first.run();
            Map<String, RunPeriod> sums = new TreeMap<>(added);
            known.get().forEach(period -> sums.merge(identity(period), period, RunPeriod::plus));
            Rows rows = new Rows();
            sums.values().forEach(period -> rows.add(row(period, text(period))));
            Trip last = transaction.trip();
            last.update(dialect.update("run_period", KEY, FACTS), rows);
            transaction.commit(last);
            return rows.size();
        });
    }

    List<RunPeriod> list(PeriodQuery query) {
        Filter filter = new Filter(LIST, query.tenant(), query.length().time().toSeconds());
        return filter.and(
                        query.eachJob() ? "AND p.job > ?" : "AND p.job = ?", name(query.eachJob() ? null : query.job()))
                .and("AND p.start_at >= ? ORDER BY p.start_at, p.job", Micros.ceiling(query.since()))
                .list(database, PeriodTable::read);
    }

    private static @Nullable Object[] key(RunPeriod period) {
        return new @Nullable Object[] {
            period.tenant(), period.length().time().toSeconds(), name(period.job()), Micros.of(period.start())
        };
    }

    private static @Nullable Object[] row(RunPeriod period, String facts) {
        return new @Nullable Object[] {
            period.tenant(), period.length().time().toSeconds(), name(period.job()), Micros.of(period.start()), facts
        };
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

    private static RunPeriod read(ResultSet row) throws SQLException {
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
}
