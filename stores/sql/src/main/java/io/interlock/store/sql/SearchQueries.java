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
    private static final String BY_END = """
            SELECT q.run_id FROM ${t:open_run} AS q WHERE q.tenant = ? AND CAST(q.run_id AS char(36)) LIKE ?
             UNION
            SELECT f.run_id FROM ${t:failed_run} AS f WHERE f.tenant = ? AND CAST(f.run_id AS char(36)) LIKE ?
             UNION
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
    private static final String LABELS = """
            SELECT DISTINCT b.label, b.value FROM (
              SELECT q.number FROM ${t:open_run} AS q WHERE q.tenant = ?
               UNION
              SELECT n.number FROM (SELECT x.number FROM ${t:run} AS x ${index:run_tenant} WHERE x.tenant = ?
                                     ORDER BY x.number DESC LIMIT ?) AS n) AS e
              JOIN ${t:run_label} AS b ON b.number = e.number
             WHERE lower(b.label) LIKE ? ESCAPE '!' OR lower(b.value) LIKE ? ESCAPE '!' LIMIT ?""";

    /** How many labels with a part of the text are read. */
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
        Trip.Answer<List<Pause>> pauses = PauseSteps.inForce(trip, Rows.of(query.tenant()));
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
            String tenant = query.tenant();
            String end = "%" + query.text();
            ids.addAll(transaction.list(
                    BY_END, Trip.TEXT, tenant, end, tenant, end, tenant, SearchQuery.LOOKED_AT, end, limit));
        }
        if (ids.isEmpty()) {
            return List.of();
        }
        return transaction.list(RUNS, runs::readOpen, Rows.ofTexts(ids)).stream()
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
        String tenant = query.tenant();
        String part = "%" + escaped(value) + "%";
        return transaction
                .list(
                        LABELS,
                        row -> Map.entry(row.getString(1), row.getString(2)),
                        tenant,
                        tenant,
                        SearchQuery.LOOKED_AT,
                        part,
                        part,
                        LABELLED)
                .stream()
                .filter(query::isIn)
                .sorted(Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
                .limit(limit)
                .toList();
    }

    private static String escaped(String text) {
        return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }
}
