package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.KeyViews;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.StepContext;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What goes on under keys, a page at a time: the rows of the keys in one trip, and what belongs to them in a second one. Safe for
 * use by many threads.
 */
final class KeyPages {

    private static final String KEYS = "SELECT " + KeyRow.COLUMNS + " FROM ${t:lease} AS l WHERE l.tenant = ?";
    private static final String IN_USE =
            "AND (l.lease_id IS NOT NULL OR l.queued > 0 OR l.reserved_for IS NOT NULL) ORDER BY l.name LIMIT ?";
    private static final String NAMED = "SELECT " + KeyRow.COLUMNS + KeyRow.FROM_KEYS + " ORDER BY k.pos";
    private static final String BUSY = "SELECT " + StoredRuns.OPEN_COLUMNS + """

             FROM ${rows:k(tenant text, name text)}
             JOIN ${t:open_run} AS q ON q.tenant = k.tenant AND q.busy = 1 AND q.name = k.name
             JOIN ${t:run} AS r ON r.run_id = q.run_id""";
    private static final String KEPT_FOR = "SELECT " + StoredRuns.OPEN_COLUMNS
            + " FROM ${rows:k(run_id uuid)} JOIN ${t:run} AS r ON r.run_id = k.run_id JOIN ${t:open_run} AS q ON "
            + StoredRuns.WAITING;
    private static final String FIRST_SUBMITTED = """
            SELECT k.name, (SELECT min(q.submitted_at) FROM ${t:open_run} AS q
                             WHERE q.tenant = k.tenant AND q.busy = 0 AND q.name = k.name)
              FROM ${rows:k(tenant text, name text)}""";
    private static final String FIRST_OF_RANK = """
            SELECT q.rank, q.submitted_at FROM ${t:open_run} AS q
             WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? AND q.rank > ? ORDER BY q.rank, q.seq LIMIT 1""";

    /** How many runs of a queue are looked at for the oldest one. In a longer queue that is the first of some rank. */
    private static final int SHORT_QUEUE = 100;

    private static final TenantSlots NOT_ASKED = new TenantSlots() {
        @Override
        public int busy() {
            return 0;
        }

        @Override
        public @Nullable Rival firstRival(int busy, Instant now) {
            return null;
        }
    };

    private final StoredRuns runs;

    KeyPages(StoredRuns runs) {
        this.runs = runs;
    }

    /** What belongs to the keys of a page. */
    private record Beside(
            StoreRow store,
            List<Pause> pauses,
            Map<LockKey, List<Run>> busy,
            Map<RunId, StoredRuns.Waiting> keptFor,
            Map<String, Long> waitingSince) {}

    /** A page of keys that have a lease, that are kept for a run, or that runs wait for, in the order of their names. */
    List<KeyView> views(Transaction transaction, KeyQuery query) throws SQLException {
        return views(transaction, query.tenant(), page(query));
    }

    /** The keys called so, in the order of {@code names}, without those that nothing goes on under. */
    List<KeyView> views(Transaction transaction, String tenant, Collection<String> names) throws SQLException {
        Rows keys = new Rows();
        names.forEach(name -> keys.add(tenant, name));
        return keys.isEmpty() ? List.of() : views(transaction, tenant, new Filter(NAMED, keys));
    }

    private List<KeyView> views(Transaction transaction, String tenant, Filter filter) throws SQLException {
        Trip trip = transaction.trip();
        Trip.Answer<StoreRow> store = StoreRow.ask(trip);
        Trip.Answer<List<Pause>> pauses = PauseSteps.inForce(trip, new Rows().add(tenant));
        Trip.Answer<List<KeyRow>> rows = filter.list(trip, KeyRow::read);
        trip.run();
        Beside beside = new Beside(store.get(), pauses.get(), new HashMap<>(), new HashMap<>(), new HashMap<>());
        load(transaction, rows.get(), beside);
        List<KeyView> views = new ArrayList<>();
        for (KeyRow row : rows.get()) {
            view(transaction, row, beside).ifPresent(views::add);
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

    private void load(Transaction transaction, List<KeyRow> rows, Beside beside) throws SQLException {
        Rows withRuns = new Rows();
        Rows keptFor = new Rows();
        Rows shortQueues = new Rows();
        for (KeyRow row : rows) {
            int queued = row.queue().size();
            if (!row.plain()) {
                withRuns.add(row.key().tenant(), row.key().name());
            }
            Reservation reservation = row.reservation();
            if (reservation != null && queued > 0) {
                keptFor.add(reservation.run().toString());
            }
            if (queued > SHORT_QUEUE) {
                beside.waitingSince().put(row.key().name(), firstSubmitted(transaction, row.key()));
            } else if (queued > 0) {
                shortQueues.add(row.key().tenant(), row.key().name());
            }
        }
        Trip trip = transaction.trip();
        if (!withRuns.isEmpty()) {
            trip.query(
                    BUSY,
                    Trip.forEach(row -> {
                        Run run = runs.readOpen(row);
                        beside.busy()
                                .computeIfAbsent(run.key(), key -> new ArrayList<>())
                                .add(run);
                    }),
                    withRuns);
        }
        if (!keptFor.isEmpty()) {
            trip.query(
                    KEPT_FOR,
                    Trip.forEach(row -> {
                        Run run = runs.readOpen(row);
                        beside.keptFor().put(run.id(), new StoredRuns.Waiting(run, row.getInt(13)));
                    }),
                    keptFor);
        }
        if (!shortQueues.isEmpty()) {
            trip.query(
                    FIRST_SUBMITTED,
                    Trip.forEach(row -> {
                        Long first = KeyRow.number(row, 2);
                        if (first != null) {
                            beside.waitingSince().put(row.getString(1), first);
                        }
                    }),
                    shortQueues);
        }
        trip.run();
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

    private Optional<KeyView> view(Transaction transaction, KeyRow row, Beside beside) throws SQLException {
        StoreRow store = beside.store();
        WaitingRuns queue = new WaitingRuns(transaction, runs, row, store.now());
        Reservation reservation = row.reservation();
        StoredRuns.Waiting keptFor =
                reservation == null ? null : beside.keptFor().get(reservation.run());
        if (keptFor != null) {
            queue.loaded(keptFor.run(), keptFor.rank());
        }
        KeyState state = new KeyState(
                new StepContext(
                        row.key(),
                        Micros.moment(store.now()),
                        new StepContext.Tokens(store.epoch(), store.tokenFloor()),
                        store.quietEnd(),
                        Micros.moment(store.heardSince()),
                        beside.pauses(),
                        NOT_ASKED,
                        () -> 0,
                        0),
                new KeyRows(
                        row.lease(),
                        row.token(),
                        reservation,
                        beside.busy().getOrDefault(row.key(), List.of()),
                        queue,
                        row.resource()));
        Long since = beside.waitingSince().get(row.key().name());
        try {
            return KeyViews.view(state, since == null ? null : Micros.moment(since));
        } catch (WaitingRuns.StepFailure failure) {
            throw failure.failure();
        }
    }
}
