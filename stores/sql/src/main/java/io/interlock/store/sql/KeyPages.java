package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.KeyViews;
import io.interlock.spi.run.rules.LineRules;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What goes on under keys, a page at a time: the rows of the keys in one trip, and what belongs to them in a second one. Safe for
 * use by many threads.
 */
final class KeyPages {

    private static final String KEYS = "SELECT " + KeyRow.COLUMNS + " FROM ${t:lease} AS l WHERE l.tenant = ?";
    private static final String IN_USE =
            "AND (l.lease_id IS NOT NULL OR l.queued > 0 OR l.reserved_for IS NOT NULL) ORDER BY l.name LIMIT ?";
    private static final String NAMED = "SELECT " + KeyRow.COLUMNS + KeyRow.FROM_KEYS + " ORDER BY k.pos";
    private static final String FIRST_SUBMITTED = """
            SELECT k.tenant, k.name, (SELECT min(q.submitted_at) FROM ${t:open_run} AS q
                             WHERE q.tenant = k.tenant AND q.busy = 0 AND q.name = k.name)
              FROM ${rows:k(tenant text, name text)}""";
    private static final String FIRST_OF_RANK = """
            SELECT q.rank, q.submitted_at FROM ${t:open_run} AS q
             WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? AND q.rank > ? ORDER BY q.rank, q.seq LIMIT 1""";

    /** How many runs of a queue are looked at for the oldest one. In a longer queue that is the first of some rank. */
    private static final int SHORT_QUEUE = 100;

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
        Set<RunId> reserved = new HashSet<>();
        rows.forEach(row -> {
            if (row.reservation() != null) {
                reserved.add(row.reservation().run());
            }
        });
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
        Filter filter = new Filter(KEYS, query.tenant());
        if (query.after() != null) {
            filter.and("AND l.name > ?", Texts.exact("after", query.after()));
        }
        if (!prefix.isEmpty()) {
            filter.and("AND l.name >= ?", prefix).andIf("AND l.name < ?", Texts.behind(prefix));
        }
        return filter.and(IN_USE, query.limit());
    }

    /** When the first of the waiting runs of each key was submitted. */
    private static Map<LockKey, Long> waitingSince(Transaction transaction, List<KeyRow> rows) throws SQLException {
        Map<LockKey, Long> since = new HashMap<>();
        Rows shortQueues = new Rows();
        for (KeyRow row : rows) {
            int queued = row.queue().size();
            if (queued > SHORT_QUEUE) {
                since.put(row.key(), firstSubmitted(transaction, row.key()));
            } else if (queued > 0) {
                shortQueues.add(row.key().tenant(), row.key().name());
            }
        }
        if (!shortQueues.isEmpty()) {
            transaction.query(
                    FIRST_SUBMITTED,
                    Trip.forEach(row -> {
                        Long first = KeyRow.number(row, 3);
                        if (first != null) {
                            since.put(DueKeys.key(row), first);
                        }
                    }),
                    shortQueues);
        }
        return since;
    }

    // Within a rank runs stand in the order in which they were submitted, and there are few ranks.
    private static long firstSubmitted(Transaction transaction, LockKey key) throws SQLException {
        return firstOfRanks(transaction, key).values().stream()
                .min(Long::compare)
                .orElse(Long.MAX_VALUE);
    }

    /** The ranks that have waiting runs, and when the first of each was submitted: one entry into the index for each. */
    private static SortedMap<Integer, Long> firstOfRanks(Transaction transaction, LockKey key) throws SQLException {
        SortedMap<Integer, Long> ranks = new TreeMap<>();
        int last = Short.MIN_VALUE;
        int known = -1;
        while (ranks.size() > known) {
            known = ranks.size();
            transaction.query(
                    FIRST_OF_RANK,
                    Trip.forEach(row -> ranks.put(row.getInt(1), row.getLong(2))),
                    key.tenant(),
                    key.name(),
                    last);
            last = ranks.isEmpty() ? last : ranks.lastKey();
        }
        return ranks;
    }

    /** A page of the queue of a key, from the front. */
    KeyLine line(Transaction transaction, LineQuery query) throws SQLException {
        LockKey key = query.key();
        // Of all names that begin with a name, it is itself the first.
        KeyView view = views(transaction, new KeyQuery(key.tenant(), key.name(), null, 1)).stream()
                .filter(found -> found.key().equals(key))
                .findFirst()
                .orElse(null);
        if (view == null || view.waiting() == 0) {
            return new KeyLine(view, query.after().count(), List.of(), null, RunLists.pastRuntimes(transaction, key));
        }
        LineRules.Page page = LineRules.page(query, view.observedAt(), new LineRules.Ranks<SQLException>() {
            @Override
            public List<Integer> all() throws SQLException {
                return List.copyOf(firstOfRanks(transaction, key).keySet());
            }

            @Override
            public List<Run> of(int rank, long after, int limit) throws SQLException {
                return transaction.list(
                        WaitingRuns.OF_RANK_AFTER, runs::readOpen, key.tenant(), key.name(), rank, after, limit);
            }
        });
        return new KeyLine(
                view, query.after().count(), page.runs(), page.next(), RunLists.pastRuntimes(transaction, key));
    }
}
