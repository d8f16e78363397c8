package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.LineRules.Standing;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.RunQueue;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.StepContext;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One step on some keys: the first trip locks and loads them, rules change them in memory, the last trip writes what changed.
 *
 * <p>The clock and everything else is read in statements after the one that locked. Requests of one step see what earlier ones
 * changed. In a transaction that does not write, nothing is locked, and what rules would change counts for nothing. Belongs to one
 * thread.
 */
final class Step {

    /** The columns by which a key has its row. */
    static final String KEY = "tenant text, name text";

    /** The other columns of a row that a step makes for a key. */
    static final String NEW_KEY = "plain int, used_at bigint";

    private static final String SELECT_KEYS = "SELECT " + KeyRow.COLUMNS + KeyRow.FROM_KEYS;
    private static final String LOCK_ALL = SELECT_KEYS + " ORDER BY l.tenant, l.name ${lock:l}";
    private static final String LOCK_FREE = SELECT_KEYS + " ORDER BY l.tenant, l.name ${skip:l}";
    private static final String LOCK_FIRST = SELECT_KEYS + " ORDER BY k.pos LIMIT ? ${skip:l}";
    private static final String OPEN = "SELECT " + StoredRuns.OPEN_COLUMNS
            + " FROM ${t:open_run} AS q JOIN ${t:run} AS r ON r.run_id = q.run_id WHERE q.tenant = %1$s AND q.name = %2$s";
    private static final String BUSY = OPEN + " AND q.busy = 1";
    private static final String FRONT = OPEN + " AND q.busy = 0 AND q.rank < " + LineRules.RESTING
            + " ORDER BY q.rank, q.seq LIMIT " + QueueRules.FRONT;
    private static final String LAST_RANK =
            "SELECT max(z.rank) FROM ${t:open_run} AS z WHERE z.tenant = %1$s AND z.name = %2$s AND z.busy = 0 AND z.rank < "
                    + LineRules.RESTING;
    // Of all keys in one statement, where a database can join what depends on the row before.
    private static final String OF_KEYS = "SELECT x.*, k.pos, %s FROM ${rows:k(tenant text, name text)}";
    private static final String OPEN_TOGETHER =
            String.format(" CROSS JOIN LATERAL ((" + BUSY + ") UNION ALL (" + FRONT + ")", "k.tenant", "k.name");
    private static final String BUSY_AND_FRONT = String.format(OF_KEYS, "NULL") + OPEN_TOGETHER + ") AS x";
    private static final String BUSY_OR_FRONT = String.format(OF_KEYS, "m.rank")
            + String.format(" CROSS JOIN LATERAL (" + LAST_RANK + ") AS m (rank)", "k.tenant", "k.name")
            + OPEN_TOGETHER + " LIMIT 1) AS x";
    private static final String BUSY_TOGETHER = String.format(
            "SELECT x.*, k.pos, NULL FROM ${rows:k(tenant text, name text)} CROSS JOIN LATERAL (" + BUSY
                    // Keeps a planner from beginning with all runs that are under way.
                    + " OFFSET 0) AS x",
            "k.tenant",
            "k.name");
    private static final String BUSY_JOINED = "SELECT " + StoredRuns.OPEN_COLUMNS + """
            , k.pos, NULL FROM ${rows:k(tenant text, name text)}
              JOIN ${t:open_run} AS q ON q.tenant = k.tenant AND q.busy = 1 AND q.name = k.name
              JOIN ${t:run} AS r ON r.run_id = q.run_id""";
    private static final String ASKED = "SELECT " + StoredRuns.COLUMNS
            + " FROM ${rows:k(run_id uuid)} JOIN ${t:run} AS r ON r.run_id = k.run_id" + StoredRuns.OPEN;
    private static final String NAMES = "SELECT " + StoredRuns.COLUMNS
            + ", i.tenant, i.name, i.fingerprint, i.until FROM ${rows:k(tenant text, name text)} JOIN ${t:idempotency} AS i"
            + " ON i.tenant = k.tenant AND i.name = k.name LEFT JOIN ${t:run} AS r ON r.run_id = i.run_id"
            + StoredRuns.OPEN;
    /** How often it is written down that callers are heard of, in microseconds. */
    static final long HEARD_EVERY = 2_000_000;

    private final Transaction transaction;
    private final StoredRuns runs;
    private final double chance;
    private final boolean once;
    private final Map<LockKey, LoadedKey> keys = new LinkedHashMap<>();
    private final Map<RunId, Run> asked = new HashMap<>();
    private final Set<RunId> askedIds = new HashSet<>();
    private final Map<RunId, Long> askedRanks = new HashMap<>();
    private final Map<Name, KeptName> names = new HashMap<>();
    /** Tenants whose limit had a say. */
    private final Set<String> limitedTenants = new HashSet<>();

    private final Set<LockKey> begun = new HashSet<>();
    private final Deque<Long> numbers = new ArrayDeque<>();
    private final StepWriter writer = new StepWriter(this);
    private List<Pause> pauses = List.of();
    private @Nullable StoreRow store;
    private long heardSince;
    private @Nullable Map<String, Integer> busyRuns;

    Step(Transaction transaction, StoredRuns runs, double chance) {
        this(transaction, runs, chance, false);
    }

    /**
     * A step in {@code transaction}.
     *
     * @param once whether it looks in a single trip, and has no answer where rules want to see more
     */
    Step(Transaction transaction, StoredRuns runs, double chance, boolean once) {
        this.transaction = transaction;
        this.runs = runs;
        this.chance = chance;
        this.once = once;
    }

    /** Whether the front of a queue is loaded together with its key. */
    enum Front {
        /** Always. */
        ALWAYS,
        /**
         * Only if no run is under way: then the first in line may have the key. How far the queue reaches is loaded with it, for a
         * newcomer to know its place.
         */
        UNLESS_BUSY,
        /** Only when a rule asks for it. */
        WHEN_ASKED
    }

    /** What a step has to load beside its keys. */
    record Needs(Set<RunId> askedRuns, int newRuns, Set<Name> names, boolean callers, Front front) {

        /** The keys with the fronts of their queues. */
        static final Needs KEYS = new Needs(Set.of(), 0, Set.of(), false);

        /** The keys with their busy runs; rules that want to see a queue ask for it. */
        static final Needs BUSY_RUNS = new Needs(Set.of(), 0, Set.of(), false, Front.WHEN_ASKED);

        Needs(Set<RunId> askedRuns, int newRuns, Set<Name> names, boolean callers) {
            this(askedRuns, newRuns, names, callers, Front.ALWAYS);
        }

        static Needs runs(Collection<RunId> ids) {
            return new Needs(new HashSet<>(ids), 0, Set.of(), false);
        }
    }

    /** By what a tenant knows a request again. */
    record Name(String tenant, String name) implements Comparable<Name> {

        @Override
        public int compareTo(Name other) {
            int byTenant = tenant.compareTo(other.tenant);
            return byTenant == 0 ? name.compareTo(other.name) : byTenant;
        }
    }

    /** What came of the first request under a name. */
    record Remembered(String fingerprint, Run run) {}

    /**
     * A key of the step.
     *
     * @param claimable whether its PENDING run may be claimed, as the table says; {@code null} if it has none
     */
    record LoadedKey(
            KeyRow row,
            WaitingRuns queue,
            KeyState state,
            @Nullable Boolean claimable) {}

    /** Locks keys and loads them. Alone a request waits for other steps; together with others it leaves out keys that they have. */
    void load(Collection<LockKey> wanted, Collection<LockKey> unseen, boolean alone, Needs needs) throws SQLException {
        Rows rows = Rows.ofKeys(new TreeSet<>(wanted));
        Trip trip = transaction.trip();
        if (transaction.writes()) {
            transaction.dialect().latchShared(trip);
            makeMissing(trip, transaction.dialect(), unseen);
            lock(trip, alone ? LOCK_ALL : LOCK_FREE, needs, false, rows, rows);
        } else {
            lock(trip, SELECT_KEYS, needs, false, rows, rows);
        }
        // Alone a step has locked every row there is: a key it did not find has none.
        if (alone || !transaction.writes()) {
            for (LockKey key : wanted) {
                if (!keys.containsKey(key)) {
                    addAbsent(KeyRow.absent(key));
                }
            }
        }
    }

    /** Makes the rows of keys that have none, in the order of all steps. */
    static void makeMissing(Trip trip, Dialect dialect, Collection<LockKey> unseen) {
        if (!unseen.isEmpty()) {
            Rows missing = new Rows();
            new TreeSet<>(unseen).forEach(key -> missing.add(key.tenant(), key.name(), 0, 0L));
            trip.update(dialect.insertMissing("lease", KEY, NEW_KEY), missing);
        }
    }

    /** Locks up to {@code limit} of these keys that no other step has, in their order. */
    void loadFirst(List<LockKey> wanted, int limit, Needs needs) throws SQLException {
        Trip trip = transaction.trip();
        transaction.dialect().latchShared(trip);
        Rows rows = Rows.ofKeys(wanted);
        lock(trip, LOCK_FIRST, needs, true, rows, rows, limit);
    }

    private void lock(Trip trip, String sql, Needs needs, boolean withPauses, Rows rows, Object... values)
            throws SQLException {
        Trip.Answer<List<KeyRow>> found = trip.list(sql, KeyRow::read, values);
        boolean together = transaction.dialect().pipelines();
        boolean plain = false;
        if (!together) {
            // No pause concerns plain keys.
            trip.run();
            plain = !withPauses
                    && found.get().size() == rows.size()
                    && found.get().stream().allMatch(KeyRow::plain);
        }
        Trip.Answer<StoreRow> storeRow = StoreRow.ask(trip);
        Trip.Answer<List<Pause>> pauseRows = plain ? null : PauseSteps.inForce(trip, tenants(rows));
        askBeside(trip, needs);
        Trip.Answer<Map<LockKey, Open>> open = together ? askTogether(trip, rows, needs) : null;
        boolean all = together && transaction.dialect().joinsLaterally();
        if (once && all) {
            transaction.commit(trip);
        } else {
            trip.run();
        }
        store = storeRow.get();
        noteHeard(store, needs.callers());
        pauses = pauseRows == null ? List.of() : pauseRows.get();
        Map<LockKey, Open> opened = open == null ? new HashMap<>() : open.get();
        if (!all) {
            Trip second = transaction.trip();
            for (KeyRow row : found.get()) {
                askAlone(
                        second, row, open == null, needs.front(), opened.computeIfAbsent(row.key(), key -> new Open()));
            }
            second.run();
        }
        for (KeyRow row : found.get()) {
            add(row, opened.getOrDefault(row.key(), new Open()));
        }
        asked.values().forEach(run -> {
            LoadedKey key = keys.get(run.key());
            if (key != null && run.state() == RunState.QUEUED) {
                Long rank = askedRanks.get(run.id());
                if (rank != null) {
                    key.queue().loaded(new Standing(run, rank));
                }
            }
        });
    }

    /** Asks for the open runs of all keys in one statement, or at least for the busy ones. */
    private Trip.Answer<Map<LockKey, Open>> askTogether(Trip trip, Rows rows, Needs needs) {
        String lateral = switch (needs.front()) {
            case ALWAYS -> BUSY_AND_FRONT;
            case UNLESS_BUSY -> BUSY_OR_FRONT;
            case WHEN_ASKED -> BUSY_TOGETHER;
        };
        String sql = transaction.dialect().joinsLaterally() ? lateral : BUSY_JOINED;
        Front loaded = transaction.dialect().joinsLaterally() ? needs.front() : Front.WHEN_ASKED;
        return trip.query(sql, each -> openOf(each, rows, loaded), rows);
    }

    /** Asks for what the rules have to see beside the keys. */
    private void askBeside(Trip trip, Needs needs) {
        askedIds.addAll(needs.askedRuns());
        if (needs.newRuns() > 0 && transaction.writes()) {
            transaction.dialect().drawNumbers(trip, needs.newRuns(), numbers::add);
        }
        if (!needs.askedRuns().isEmpty()) {
            List<String> ids = needs.askedRuns().stream().map(RunId::toString).toList();
            trip.query(ASKED, Trip.forEach(this::readAsked), Rows.ofTexts(ids));
        }
        if (!needs.names().isEmpty()) {
            Rows wanted = new Rows();
            needs.names().forEach(name -> wanted.add(name.tenant(), name.name()));
            trip.query(NAMES, Trip.forEach(this::readName), wanted);
        }
    }

    private static Rows tenants(Rows keys) {
        Rows tenants = new Rows();
        keys.all().stream().map(row -> row[0]).distinct().forEach(tenants::add);
        return tenants;
    }

    // Time in which no caller could be heard of proves nothing about any of them.
    private void noteHeard(StoreRow row, boolean callers) {
        boolean gap = row.now() - row.lastHeard() > Micros.of(Waiter.STALE_AFTER);
        heardSince = gap ? row.now() : row.heardSince();
        if (callers && transaction.writes() && row.now() - row.lastHeard() > HEARD_EVERY) {
            writer.heard(row.now(), heardSince);
        }
    }

    /** What is kept under a name, and until when it counts; the run may be forgotten. */
    private record KeptName(long until, @Nullable Remembered what) {}

    private void readName(ResultSet row) throws SQLException {
        Remembered what = row.getString(1) == null ? null : new Remembered(row.getString(17), runs.readOpen(row));
        names.put(new Name(row.getString(15), row.getString(16)), new KeptName(row.getLong(18), what));
    }

    /** What came of the request that a tenant made under a name, if the name still counts. */
    @Nullable
    Remembered remembered(Name name) {
        KeptName kept = names.get(name);
        return kept == null || kept.until() <= now() ? null : kept.what();
    }

    /** Remembers what came of a request under a name, for later requests of this step too. */
    void remember(Name name, Remembered what, long until) {
        KeptName before = names.put(name, new KeptName(until, what));
        if (before != null) {
            writer.forget(name, before.until());
        }
        writer.remember(name, what.fingerprint(), what.run().id(), until);
    }

    private void readAsked(ResultSet row) throws SQLException {
        Run run = runs.readOpen(row);
        asked.put(run.id(), run);
        Long rank = KeyRow.number(row, 13);
        if (rank != null) {
            askedRanks.put(run.id(), rank);
        }
    }

    /** The open runs of one key, as loaded with it. */
    private static final class Open {
        private final List<Run> busy = new ArrayList<>();
        private final List<Standing> front = new ArrayList<>();
        private boolean frontLoaded;
        private @Nullable Boolean claimable;
        private @Nullable Long lastRank;
    }

    private Map<LockKey, Open> openOf(ResultSet rows, Rows wanted, Front front) throws SQLException {
        List<LockKey> order = new ArrayList<>();
        Map<LockKey, Open> found = new HashMap<>();
        for (@Nullable Object[] row : wanted.all()) {
            LockKey key = LockKey.of(String.valueOf(row[0]), String.valueOf(row[1]));
            order.add(key);
            found.put(key, new Open());
        }
        while (rows.next()) {
            Open open = Objects.requireNonNull(found.get(order.get(rows.getInt(15) - 1)));
            open.lastRank = KeyRow.number(rows, 16);
            take(open, rows);
        }
        found.values()
                .forEach(open -> open.frontLoaded =
                        front == Front.ALWAYS || (front == Front.UNLESS_BUSY && open.busy.isEmpty()));
        return found;
    }

    private void take(Open open, ResultSet row) throws SQLException {
        if (row.getInt(12) == 1) {
            open.busy.add(runs.readOpen(row));
            open.claimable = row.getInt(14) == 1;
        } else {
            open.front.add(runs.readStanding(row));
        }
    }

    /** Asks for the open runs of one key. A key that is plain has none. */
    private void askAlone(Trip trip, KeyRow row, boolean busy, Front front, Open open) {
        String tenant = row.key().tenant();
        String name = row.key().name();
        if (busy && !row.plain()) {
            trip.query(String.format(BUSY, "?", "?"), Trip.forEach(each -> take(open, each)), tenant, name);
        }
        if (front != Front.WHEN_ASKED && row.queue().size() > 0) {
            if (front == Front.UNLESS_BUSY) {
                trip.query(
                        String.format(LAST_RANK, "?", "?"),
                        Trip.forEach(each -> open.lastRank = KeyRow.number(each, 1)),
                        tenant,
                        name);
            }
            if (front == Front.ALWAYS || (row.lease() == null && row.reservation() == null)) {
                open.frontLoaded = true;
                trip.query(String.format(FRONT, "?", "?"), Trip.forEach(each -> take(open, each)), tenant, name);
            }
        }
    }

    private void addAbsent(KeyRow row) throws SQLException {
        Open open = new Open();
        if (!once) {
            Trip trip = transaction.trip();
            askAlone(trip, row, true, Front.ALWAYS, open);
            trip.run();
        }
        add(row, open);
    }

    private void add(KeyRow row, Open open) {
        WaitingRuns queue = new WaitingRuns(transaction, runs, row, now());
        queue.loaded(open.front, open.frontLoaded, open.lastRank);
        KeyState state = new KeyState(
                context(row.key()),
                new KeyRows(
                        row.lease(),
                        row.token(),
                        reservation(row, open.busy),
                        open.busy,
                        row.queue().size() == 0 ? RunQueue.EMPTY : queue,
                        row.resource()));
        keys.put(row.key(), new LoadedKey(row, queue, state, open.claimable));
    }

    // A row that was lost and made anew does not know the run that it is kept for.
    private static @Nullable Reservation reservation(KeyRow row, List<Run> busy) {
        Run run = busy.isEmpty() ? null : busy.get(0);
        return row.reservation() == null && run != null && run.state() == RunState.PENDING
                ? new Reservation(run.id(), run.status().since(), null)
                : row.reservation();
    }

    private StepContext context(LockKey key) {
        StoreRow row = store();
        return new StepContext(
                key,
                Micros.moment(row.now()),
                new StepContext.Tokens(row.epoch(), row.tokenFloor()),
                row.quietEnd(),
                Micros.moment(heardSince),
                pauses.stream()
                        .filter(pause -> pause.tenant().equals(key.tenant()))
                        .toList(),
                new TenantPlaces(this, key),
                // A look gives no numbers: what it would add counts for nothing.
                transaction.writes() ? numbers::remove : () -> Long.MAX_VALUE,
                chance);
    }

    Transaction transaction() {
        return transaction;
    }

    StoredRuns runs() {
        return runs;
    }

    StoreRow store() {
        StoreRow row = store;
        if (row == null) {
            throw new IllegalStateException("the step has not been loaded");
        }
        return row;
    }

    long now() {
        return store().now();
    }

    Instant moment() {
        return Micros.moment(now());
    }

    @Nullable
    LoadedKey key(LockKey key) {
        return keys.get(key);
    }

    KeyState state(LockKey key) {
        return Objects.requireNonNull(key(key), "the key is loaded").state();
    }

    /** The same, with its expiries and timeouts settled. */
    KeyState settled(LockKey key) {
        KeyState state = state(key);
        Settlement.settle(state);
        return state;
    }

    Collection<LoadedKey> keys() {
        return keys.values();
    }

    /** A run that was asked for, as the store had it before this step. */
    @Nullable
    Run asked(RunId id) {
        return asked.get(id);
    }

    /** The run called {@code id}, as the store had it before this step, whether it was asked for or not. */
    @Nullable
    Run find(RunId id) throws SQLException {
        Run known = asked.get(id);
        if (known == null && !askedIds.contains(id)) {
            known = runs.find(transaction, id).orElse(null);
        }
        return known;
    }

    /**
     * Makes sure that what the step found is not its own doing.
     *
     * @throws StoreUnavailableException if an earlier attempt lost its connection and may have taken effect
     */
    void requireFirstAttempt(String what) {
        if (transaction.mayHaveBeenDone()) {
            throw new StoreUnavailableException(transaction.store(), "lost the connection; " + what + " is not known");
        }
    }

    /** Whether this is the first request of the step about {@code key}. */
    boolean begins(LockKey key) {
        return begun.add(key);
    }

    /** The runs of a key that were asked for. */
    List<RunId> askedOf(LockKey key) {
        return asked.values().stream()
                .filter(run -> run.key().equals(key))
                .map(Run::id)
                .toList();
    }

    /** How many runs of a tenant are under way, as the store had it before this step. No other step changes it meanwhile. */
    int busyRuns(String tenant) {
        limitedTenants.add(tenant);
        Map<String, Integer> known = busyRuns;
        if (known == null) {
            SortedSet<String> all = new TreeSet<>();
            keys.keySet().forEach(key -> all.add(key.tenant()));
            try {
                known = TenantPlaces.count(transaction, all);
            } catch (SQLException failure) {
                throw new WaitingRuns.StepFailure(failure);
            }
            busyRuns = known;
        }
        return known.getOrDefault(tenant, 0);
    }

    StepWriter writer() {
        return writer;
    }

    /** Tenants with a limit under which a place may be free for a run of another key. */
    Set<String> limitedTenants() {
        Set<String> limited = new HashSet<>(limitedTenants);
        keys.forEach((key, loaded) -> {
            if (store().placesWanted() && loaded.state().busyChange() < 0) {
                limited.add(key.tenant());
            }
        });
        return limited;
    }
}
