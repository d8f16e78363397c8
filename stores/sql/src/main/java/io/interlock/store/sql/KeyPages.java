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
import io.interlock.spi.run.rules.LineRules.Standing;
import io.interlock.spi.run.rules.StepContext;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    // A run that waits for longer than the first one has a lower number.
    private static final String FIRST_SUBMITTED = """
            SELECT k.name, (SELECT min(q.submitted_at) FROM ${t:open_run} AS q
                             WHERE q.tenant = k.tenant AND q.busy = 0 AND q.name = k.name AND q.seq <= (
                               SELECT z.seq FROM ${t:open_run} AS z
                                WHERE z.tenant = k.tenant AND z.busy = 0 AND z.name = k.name
                                ORDER BY z.rank, z.seq LIMIT 1))
              FROM ${rows:k(tenant text, name text)}""";

    private static final TenantSlots NOT_ASKED = new TenantSlots() {
        @Override
        public int busy() {
            return 0;
        }

        @Override
        public @Nullable Rival firstRival(int busy) {
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
            Map<RunId, Standing> keptFor,
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
        Rows queues = new Rows();
        for (KeyRow row : rows) {
            int queued = row.queue().size();
            if (!row.plain()) {
                withRuns.add(row.key().tenant(), row.key().name());
            }
            Reservation reservation = row.reservation();
            if (reservation != null && queued > 0) {
                keptFor.add(reservation.run().toString());
            }
            if (queued > 0) {
                queues.add(row.key().tenant(), row.key().name());
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
                        Standing waiting = runs.readStanding(row);
                        beside.keptFor().put(waiting.run().id(), waiting);
                    }),
                    keptFor);
        }
        if (!queues.isEmpty()) {
            trip.query(
                    FIRST_SUBMITTED,
                    Trip.forEach(row -> {
                        Long first = KeyRow.number(row, 2);
                        if (first != null) {
                            beside.waitingSince().put(row.getString(1), first);
                        }
                    }),
                    queues);
        }
        trip.run();
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

    private Optional<KeyView> view(Transaction transaction, KeyRow row, Beside beside) throws SQLException {
        StoreRow store = beside.store();
        WaitingRuns queue = new WaitingRuns(transaction, runs, row, store.now());
        Reservation reservation = row.reservation();
        Standing keptFor = reservation == null ? null : beside.keptFor().get(reservation.run());
        if (keptFor != null) {
            queue.loaded(keptFor);
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
