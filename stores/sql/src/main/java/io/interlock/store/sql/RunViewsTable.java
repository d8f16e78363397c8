package io.interlock.store.sql;

import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.LineQuery;
import io.interlock.run.OpenRuns;
import io.interlock.run.Pause;
import io.interlock.run.RunCount;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchResult;
import io.interlock.run.Summary;
import io.interlock.spi.run.RunViews;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything at once, each view of one unchanging state. Changes nothing. Safe for use by many threads. */
final class RunViewsTable implements RunViews {

    private static final String OPEN_COUNTS =
            "SELECT q.tenant, q.job, q.state, count(*), min(q.since) FROM ${t:open_run} AS q";
    private static final String DEAD_COUNTS = """
            GROUP BY q.tenant, q.job, q.state
             UNION ALL
            SELECT f.tenant, f.job, f.state, count(*), min(f.since)
              FROM ${t:failed_run} AS f WHERE f.state = 'DEAD' AND f.settled = 0""";
    private static final String OPEN_RUNS = "SELECT count(*), coalesce(sum(n.payload), 0)"
            + " FROM (SELECT q.payload FROM ${t:open_run} AS q WHERE q.tenant = ? LIMIT ?) AS n";
    private static final String PAUSES = "SELECT " + PauseSteps.COLUMNS + " FROM ${t:pause} AS p WHERE p.resumed = 0";

    private final Database database;
    private final KeyPages keys;
    private final SummaryQueries summaries;
    private final SearchQueries searches;

    RunViewsTable(Database database, StoredRuns runs) {
        this.database = database;
        keys = new KeyPages(runs);
        summaries = new SummaryQueries(keys, runs);
        searches = new SearchQueries(keys, runs);
    }

    @Override
    public Instant storeTime() {
        return Micros.moment(database.peek(StoreRow::read).now());
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return database.read(transaction -> keys.views(transaction, query));
    }

    @Override
    public KeyLine line(LineQuery query) {
        return database.read(transaction -> keys.line(transaction, query));
    }

    @Override
    public List<RunCount> runCounts() {
        return runCounts(null).list(database, RunViewsTable::readCount);
    }

    /** Counts the open and the dead runs of a tenant, or of all; see {@link #readCount}. */
    static Filter runCounts(@Nullable String tenant) {
        return new Filter(OPEN_COUNTS)
                .andIf("WHERE q.tenant = ?", tenant)
                .and(DEAD_COUNTS)
                .andIf("AND f.tenant = ?", tenant)
                .and("GROUP BY f.tenant, f.job, f.state ORDER BY 1, 2, 3");
    }

    static RunCount readCount(ResultSet row) throws SQLException {
        return new RunCount(
                row.getString(1),
                new JobName(row.getString(2)),
                RunState.valueOf(row.getString(3)),
                row.getLong(4),
                Micros.moment(row.getLong(5)));
    }

    @Override
    public Summary summary(String tenant) {
        return database.read(transaction -> summaries.of(transaction, tenant));
    }

    @Override
    public SearchResult search(SearchQuery query) {
        Texts.exact("q", query.text());
        return database.read(transaction -> searches.find(transaction, query));
    }

    @Override
    public OpenRuns openRuns(String tenant, long most) {
        return database.peek(transaction -> transaction.query(
                OPEN_RUNS,
                rows -> rows.next() ? new OpenRuns(rows.getLong(1), rows.getLong(2)) : new OpenRuns(0, 0),
                tenant,
                most));
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return database.peek(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            Trip.Answer<List<Pause>> pauses = new Filter(PAUSES)
                    .andIf("AND p.tenant = ?", tenant)
                    .and("ORDER BY p.tenant, p.pattern")
                    .list(trip, PauseSteps::read);
            trip.run();
            Instant now = Micros.moment(store.get().now());
            return pauses.get().stream().filter(pause -> pause.lastsAt(now)).toList();
        });
    }
}
