package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.KeyViews;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.LineRules.Standing;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What goes on under keys, a page at a time: the rows of the keys in one trip, and what belongs to them in a second one. Safe for
 * use by many threads.
 */
final class KeyPages {

    private static final String KEYS = "SELECT " + KeyRow.COLUMNS + " FROM ${t:lease} AS l WHERE l.tenant = ?";
    private static final String IN_USE =
            "AND (l.lease_id IS NOT NULL OR l.queued > 0 OR l.reserved_for IS NOT NULL) ORDER BY l.name LIMIT ?";
    private static final String NAMED = "SELECT " + KeyRow.COLUMNS + KeyRow.FROM_KEYS + " ORDER BY k.pos";
    // A run that waits for longer than the first one has a lower number.
    private static final String FIRST_SUBMITTED = """
            SELECT k.tenant, k.name, (SELECT min(q.submitted_at) FROM ${t:open_run} AS q
                             WHERE q.tenant = k.tenant AND q.busy = 0 AND q.name = k.name AND q.seq <= (
                               SELECT z.seq FROM ${t:open_run} AS z
                                WHERE z.tenant = k.tenant AND z.busy = 0 AND z.name = k.name
                                ORDER BY z.rank, z.seq LIMIT 1))
              FROM ${rows:k(tenant text, name text)}""";

    private final StoredRuns runs;

    KeyPages(StoredRuns runs) {
        this.runs = runs;
    }

    /** A page of keys that have a lease, that are kept for a run, or that runs wait for, in the order of their names. */
    List<KeyView> views(Transaction transaction, KeyQuery query) throws SQLException {
        return views(transaction, page(query));
    }

    /** The keys called so, in the order of {@code names}, without those that nothing goes on under. */
    List<KeyView> views(Transaction transaction, String tenant, Collection<String> names) throws SQLException {
        Rows keys = new Rows();
        names.forEach(name -> keys.add(tenant, name));
        return keys.isEmpty() ? List.of() : views(transaction, new Filter(NAMED, keys));
    }

    private List<KeyView> views(Transaction transaction, Filter filter) throws SQLException {
        List<KeyRow> rows = filter.list(transaction, KeyRow::read);
        if (rows.isEmpty()) {
            return List.of();
        }
        Set<RunId> reserved = rows.stream()
                .flatMap(row -> Stream.ofNullable(row.reservation()))
                .map(Reservation::run)
                .collect(Collectors.toSet());
        Step step = new Step(transaction, runs, 0);
        step.load(
                rows.stream().map(KeyRow::key).toList(),
                List.of(),
                true,
                new Step.Needs(reserved, 0, Set.of(), false, Step.Front.WHEN_ASKED));
        Map<LockKey, Long> since = waitingSince(transaction, rows);
        List<KeyView> views = new ArrayList<>();
        try {
            for (KeyRow row : rows) {
                Long first = since.get(row.key());
                KeyViews.view(step.state(row.key()), first == null ? null : Micros.moment(first))
                        .ifPresent(views::add);
            }
        } catch (WaitingRuns.StepFailure failure) {
            throw failure.failure();
        }
        return List.copyOf(views);
    }

    private static Filter page(KeyQuery query) {
        String prefix = Texts.exact("prefix", query.prefix());
        String after = query.after() == null ? "" : Texts.exact("after", query.after());
        return new Filter(KEYS, query.tenant())
                .andBehind("l.name", after, prefix)
                .and(IN_USE, query.limit());
    }

    /** When the first of the waiting runs of each key was submitted. */
    private static Map<LockKey, Long> waitingSince(Transaction transaction, List<KeyRow> rows) throws SQLException {
        Map<LockKey, Long> since = new HashMap<>();
        Rows queues = new Rows();
        for (KeyRow row : rows) {
            if (row.queue().size() > 0) {
                queues.add(row.key().tenant(), row.key().name());
            }
        }
        if (!queues.isEmpty()) {
            transaction.query(
                    FIRST_SUBMITTED,
                    Trip.forEach(row -> {
                        Long first = KeyRow.number(row, 3);
                        if (first != null) {
                            since.put(DueKeys.key(row), first);
                        }
                    }),
                    queues);
        }
        return since;
    }

    /** A page of the queue of a key, from the front. */
    KeyLine line(Transaction transaction, LineQuery query) throws SQLException {
        LockKey key = query.key();
        // Of all names that begin with a name, it is itself the first.
        KeyView view = views(transaction, new KeyQuery(key.tenant(), key.name(), null, 1)).stream()
                .filter(found -> found.key().equals(key))
                .findFirst()
                .orElse(null);
        List<Duration> past = RunLists.pastRuntimes(transaction, key);
        LineQuery.Place after = query.after();
        List<Standing> found = view == null || view.waiting() == 0
                ? List.of()
                : transaction.list(
                        WaitingRuns.BEHIND,
                        runs::readStanding,
                        key.tenant(),
                        key.name(),
                        after.rank(),
                        after.rank(),
                        after.number(),
                        query.limit() + 1);
        return LineRules.page(query, view, found, past);
    }
}
