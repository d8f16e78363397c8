package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.KeyView.KeyStatus;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.run.Summary.RunCount;
import io.interlock.spi.run.RunViews;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything at once, each view of one unchanging state. What goes on in one tenant is read from a few columns of each key in use and of
 * each run that has not ended, and the failures of the last hour by the index of their ends. Changes nothing. Safe for use by many threads.
 */
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

    private static final String IN_USE = """
            SELECT l.name, l.queued, l.lease_id IS NOT NULL, l.evicted_at IS NOT NULL, l.expires_at FROM ${t:lease} AS l
             WHERE l.tenant = ? AND (l.lease_id IS NOT NULL OR l.queued > 0 OR l.reserved_for IS NOT NULL) ORDER BY l.name""";

    // Only a run with a limit can take longer than it may.
    private static final String LIMITED = "SELECT " + StoredRuns.OPEN_COLUMNS + """

             FROM ${t:open_run} AS q JOIN ${t:run} AS r ON r.run_id = q.run_id
             WHERE q.tenant = ? AND q.busy = 1 AND q.state = 'RUNNING' AND r.spec LIKE '%max-runtime%'""";
    private static final String FAILURES = """
            SELECT g.job, g.state, g.code, g.failures, g.last, s.run_id, s.tenant, s.name, g.failed FROM (
              SELECT f.tenant, f.job, f.state, f.code, count(*) AS failures, max(f.since) AS last, max(f.number) AS sample,
                     sum(count(*)) OVER () AS failed
                FROM ${t:failed_run} AS f ${index:failed_run_since} WHERE f.tenant = ? AND f.since >= ? AND f.state <> 'ABORTED'
               GROUP BY f.tenant, f.job, f.state, f.code ORDER BY count(*) DESC LIMIT ?) AS g
              JOIN ${t:failed_run} AS s ON s.tenant = g.tenant AND s.state = g.state AND s.number = g.sample
             ORDER BY g.failures DESC, g.job, g.code""";
    private static final String LONGEST = """
            SELECT q.name FROM ${t:open_run} AS q WHERE q.tenant = ? AND q.busy = 0
             GROUP BY q.name ORDER BY min(q.submitted_at), q.name LIMIT 1""";

    private final Database database;
    private final KeyPages keys;
    private final StoredRuns runs;
    private final SearchQueries searches;

    RunViewsTable(Database database, StoredRuns runs) {
        this.database = database;
        keys = new KeyPages(runs);
        this.runs = runs;
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
    private static Filter runCounts(@Nullable String tenant) {
        return new Filter(OPEN_COUNTS)
                .andIf("WHERE q.tenant = ?", tenant)
                .and(DEAD_COUNTS)
                .andIf("AND f.tenant = ?", tenant)
                .and("GROUP BY f.tenant, f.job, f.state ORDER BY 1, 2, 3");
    }

    private static RunCount readCount(ResultSet row) throws SQLException {
        return new RunCount(
                row.getString(1),
                new JobName(row.getString(2)),
                RunState.valueOf(row.getString(3)),
                row.getLong(4),
                Micros.moment(row.getLong(5)));
    }

    @Override
    public Summary summary(String tenant) {
        return database.read(transaction -> summary(transaction, tenant));
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

    private record InUse(
            String name,
            int queued,
            boolean leased,
            boolean evicted,
            @Nullable Long expiresAt) {

        KeyStatus state(String tenant, long now, Set<String> tooLong, List<Pause> pauses) {
            if (leased) {
                boolean live = !evicted && expiresAt != null && expiresAt > now;
                return live && !tooLong.contains(name) ? KeyStatus.HELD : KeyStatus.OVERDUE;
            }
            LockKey key = LockKey.of(tenant, name);
            Instant moment = Micros.moment(now);
            return pauses.stream().anyMatch(pause -> pause.covers(key) && pause.lastsAt(moment))
                    ? KeyStatus.PAUSED
                    : KeyStatus.WAITING;
        }
    }

    /** Failures of one kind, and how many there are of all kinds. */
    private record Group(Summary.Failures failures, long all) {}

    private Summary summary(Transaction transaction, String tenant) throws SQLException {
        long now = StoreRow.read(transaction).now();
        long since = now - Micros.of(Summary.FAILURES);
        Trip trip = transaction.trip();
        Trip.Answer<List<Pause>> pauses = PauseSteps.inForce(trip, Rows.of(tenant));
        Trip.Answer<List<InUse>> inUse = trip.list(IN_USE, RunViewsTable::readInUse, tenant);
        Trip.Answer<List<Run>> limited = trip.list(LIMITED, runs::readOpen, tenant);
        Trip.Answer<List<RunCount>> counts = runCounts(tenant).list(trip, RunViewsTable::readCount);
        Trip.Answer<List<Group>> failures =
                trip.list(FAILURES, RunViewsTable::readFailures, tenant, since, Summary.GROUPS);
        Trip.Answer<List<String>> longest = trip.list(LONGEST, Trip.TEXT, tenant);
        trip.run();
        Instant moment = Micros.moment(now);
        Set<String> tooLong = limited.get().stream()
                .filter(run -> run.isTooLong(moment))
                .map(run -> run.key().name())
                .collect(Collectors.toSet());
        Map<KeyStatus, Long> locks = new EnumMap<>(KeyStatus.class);
        List<String> overdue = new ArrayList<>();
        for (InUse key : inUse.get()) {
            KeyStatus state = key.state(tenant, now, tooLong, pauses.get());
            locks.merge(state, 1L, Long::sum);
            if (state == KeyStatus.OVERDUE && overdue.size() < Summary.LISTED) {
                overdue.add(key.name());
            }
        }
        Set<String> paused = Pause.ofOneKey(pauses.get(), Micros.moment(now)).collect(Collectors.toSet());
        inUse.get().forEach(key -> paused.remove(key.name()));
        if (!paused.isEmpty()) {
            locks.merge(KeyStatus.PAUSED, (long) paused.size(), Long::sum);
        }
        List<String> hot = inUse.get().stream()
                .filter(key -> key.queued() > 0)
                .sorted(Comparator.comparingInt(InUse::queued).reversed().thenComparing(InUse::name))
                .limit(Summary.LISTED)
                .map(InUse::name)
                .toList();
        List<KeyView> views = keys.views(
                transaction,
                tenant,
                Stream.of(overdue, hot, longest.get())
                        .flatMap(List::stream)
                        .distinct()
                        .toList());
        KeyView waitedFor = named(views, longest.get()).stream().findFirst().orElse(null);
        Run next = waitedFor == null
                ? null
                : keys.line(transaction, LineQuery.front(waitedFor.key(), 1)).runs().stream()
                        .findFirst()
                        .orElse(null);
        return new Summary(
                Micros.moment(now),
                locks,
                counts.get(),
                failures.get().stream().map(Group::failures).toList(),
                failures.get().stream().findFirst().map(Group::all).orElse(0L),
                Micros.moment(since),
                named(views, overdue),
                named(views, hot),
                waitedFor,
                next);
    }

    private static List<KeyView> named(List<KeyView> views, List<String> names) {
        return names.stream()
                .flatMap(name -> views.stream().filter(view -> view.key().name().equals(name)))
                .toList();
    }

    private static InUse readInUse(ResultSet row) throws SQLException {
        return new InUse(row.getString(1), row.getInt(2), row.getBoolean(3), row.getBoolean(4), KeyRow.number(row, 5));
    }

    private static Group readFailures(ResultSet row) throws SQLException {
        Summary.Failures failures = new Summary.Failures(
                new JobName(row.getString(1)),
                RunState.valueOf(row.getString(2)),
                row.getString(3),
                row.getLong(4),
                Micros.moment(row.getLong(5)),
                RunId.parse(row.getString(6)),
                LockKey.of(row.getString(7), row.getString(8)));
        return new Group(failures, row.getLong(9));
    }
}
