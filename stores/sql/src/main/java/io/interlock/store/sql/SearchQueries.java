package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds runs and keys by parts of what they are called. The beginning of an id is found by the primary key; names of keys by going from
 * name to name of the index, not from run to run; last digits and labels among open runs, failed runs and the newest others. Safe for
 * use by many threads.
 */
final class SearchQueries {

    private static final String BY_PREFIX = """
            SELECT r.run_id FROM ${t:run} AS r
             WHERE r.run_id >= CAST(? AS ${uuid}) AND r.run_id <= CAST(? AS ${uuid}) AND r.tenant = ?
             ORDER BY r.run_id DESC LIMIT ?""";
    private static final String BY_END =
            "SELECT q.run_id FROM ${t:%s} AS q WHERE q.tenant = ? AND CAST(q.run_id AS char(36)) LIKE ? LIMIT ?";
    private static final String OPEN_BY_END = String.format(BY_END, "open_run");
    private static final String FAILED_BY_END = String.format(BY_END, "failed_run");
    private static final String NEWEST_BY_END = """
            SELECT n.run_id FROM (SELECT x.run_id FROM ${t:run} AS x ${index:run_tenant} WHERE x.tenant = ?
                                   ORDER BY x.number DESC LIMIT ?) AS n
             WHERE CAST(n.run_id AS char(36)) LIKE ? LIMIT ?""";
    private static final String RUNS = "SELECT " + StoredRuns.COLUMNS
            + " FROM ${rows:k(run_id uuid)} JOIN ${t:run} AS r ON r.run_id = k.run_id" + StoredRuns.OPEN;
    private static final String KEPT_NAMES = """
            SELECT l.name FROM ${t:lease} AS l WHERE l.tenant = ? AND lower(l.name) LIKE ? ESCAPE '!'
             ORDER BY l.name LIMIT ?""";
    private static final String HOLDERS = """
            SELECT DISTINCT l.label FROM ${t:lease} AS l
             WHERE l.tenant = ? AND l.lease_id IS NOT NULL AND lower(l.label) LIKE ? ESCAPE '!' ORDER BY l.label LIMIT ?""";
    private static final String OPEN_LABELLED = """
            SELECT r.spec FROM ${t:open_run} AS q JOIN ${t:run} AS r ON r.run_id = q.run_id
             WHERE q.tenant = ? AND r.spec LIKE '%label.name%' AND lower(r.spec) LIKE ? ESCAPE '!' LIMIT ?""";
    private static final String NEWEST_LABELLED = """
            SELECT n.spec FROM (SELECT x.spec FROM ${t:run} AS x ${index:run_tenant} WHERE x.tenant = ?
                                 ORDER BY x.number DESC LIMIT ?) AS n
             WHERE n.spec LIKE '%label.name%' AND lower(n.spec) LIKE ? ESCAPE '!' LIMIT ?""";

    /** How many runs with the text are read for their labels. */
    private static final int LABELLED = 500;

    private final KeyPages keys;
    private final StoredRuns runs;

    SearchQueries(KeyPages keys, StoredRuns runs) {
        this.keys = keys;
        this.runs = runs;
    }

    SearchResult find(Transaction transaction, SearchQuery query) throws SQLException {
        int limit = query.limit() + 1;
        String part = "%" + escaped(query.text()) + "%";
        Trip trip = transaction.trip();
        Trip.Answer<StoreRow> store = StoreRow.ask(trip);
        Trip.Answer<List<Pause>> pauses = PauseSteps.inForce(trip, new Rows().add(query.tenant()));
        Trip.Answer<List<String>> kept = trip.list(KEPT_NAMES, Trip.TEXT, query.tenant(), part, limit);
        Trip.Answer<List<String>> holders = trip.list(HOLDERS, Trip.TEXT, query.tenant(), part, limit);
        Trip.Answer<List<String>> past =
                trip.list(transaction.dialect().namesOfRuns(), Trip.TEXT, query.tenant(), query.tenant(), part, limit);
        trip.run();
        Set<String> names = new TreeSet<>(Comparator.comparing(name -> LockKey.of(query.tenant(), name)));
        names.addAll(kept.get());
        names.addAll(past.get());
        List<String> first = names.stream().limit(limit).toList();
        return new SearchResult(
                runs(transaction, query, limit),
                views(
                        transaction,
                        query.tenant(),
                        first,
                        pauses.get(),
                        Micros.moment(store.get().now())),
                holders.get(),
                labels(transaction, query, limit));
    }

    private List<Run> runs(Transaction transaction, SearchQuery query, int limit) throws SQLException {
        Set<String> ids = new LinkedHashSet<>();
        if (query.mayBeId()) {
            ids.addAll(transaction.list(
                    BY_PREFIX,
                    Trip.TEXT,
                    query.firstId().toString(),
                    query.lastId().toString(),
                    query.tenant(),
                    limit));
        }
        if (query.mayBeShortId()) {
            String end = "%" + query.text();
            Trip trip = transaction.trip();
            Trip.Answer<List<String>> open = trip.list(OPEN_BY_END, Trip.TEXT, query.tenant(), end, limit);
            Trip.Answer<List<String>> failed = trip.list(FAILED_BY_END, Trip.TEXT, query.tenant(), end, limit);
            Trip.Answer<List<String>> newest =
                    trip.list(NEWEST_BY_END, Trip.TEXT, query.tenant(), SearchQuery.LOOKED_AT, end, limit);
            trip.run();
            Stream.of(open, failed, newest).forEach(found -> ids.addAll(found.get()));
        }
        if (ids.isEmpty()) {
            return List.of();
        }
        Rows rows = new Rows();
        ids.forEach(rows::add);
        return transaction.list(RUNS, runs::readOpen, rows).stream()
                .sorted(Comparator.comparingLong(Run::number).reversed())
                .limit(limit)
                .toList();
    }

    private List<KeyView> views(
            Transaction transaction, String tenant, List<String> names, List<Pause> pauses, Instant now)
            throws SQLException {
        Map<LockKey, KeyView> inUse =
                keys.views(transaction, tenant, names).stream().collect(Collectors.toMap(KeyView::key, view -> view));
        return names.stream()
                .map(name -> LockKey.of(tenant, name))
                .map(key -> inUse.getOrDefault(key, KeyView.idle(key, pauses, now)))
                .toList();
    }

    private static List<Map.Entry<String, String>> labels(Transaction transaction, SearchQuery query, int limit)
            throws SQLException {
        String value = query.inLabel().orElse(null);
        if (value == null) {
            return List.of();
        }
        String part = "%" + escaped(value) + "%";
        Trip trip = transaction.trip();
        Trip.Answer<List<String>> open = trip.list(OPEN_LABELLED, Trip.TEXT, query.tenant(), part, LABELLED);
        Trip.Answer<List<String>> newest =
                trip.list(NEWEST_LABELLED, Trip.TEXT, query.tenant(), SearchQuery.LOOKED_AT, part, LABELLED);
        trip.run();
        return Stream.of(open, newest)
                .flatMap(found -> found.get().stream())
                .distinct()
                .flatMap(spec -> SpecText.read(spec).spec().labels().entrySet().stream())
                .filter(query::isIn)
                .distinct()
                .sorted(Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
                .limit(limit)
                .toList();
    }

    private static String escaped(String text) {
        return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }
}
