package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceQuery;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.RunStatus;
import io.interlock.run.Wait;
import io.interlock.spi.run.RunQueries;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.WaitRules;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs as people ask for them, one by one and in pages. Those that have not ended are listed from {@code open_run}, those
 * that failed from {@code failed_run}, and those with a label from {@code run_label}, so that a page does not cost more the more history there is. Dead letters are the failed
 * ones in state DEAD, with what was done about them. Changes nothing. Safe for use by many threads.
 */
final class RunLists implements RunQueries {

    // The page first, then what belongs to its runs.
    private static final String OPEN_PAGE = "SELECT " + StoredRuns.OPEN_COLUMNS
            + " FROM (SELECT x.* FROM ${t:open_run} AS x WHERE x.tenant = ? AND x.busy = ?";
    private static final String OPEN_PAGE_END = ") AS q JOIN ${t:run} AS r ON r.run_id = q.run_id ORDER BY q.number";
    private static final String FAILED_PAGE =
            "SELECT " + StoredRuns.ENDED_COLUMNS + " FROM (SELECT x.* FROM ${t:failed_run} AS x WHERE x.tenant = ?";
    // Of the last hour, say: few of all failures.
    private static final String FAILED_LATELY = "SELECT " + StoredRuns.ENDED_COLUMNS
            + " FROM (SELECT x.* FROM ${t:failed_run} AS x ${index:failed_run_since} WHERE x.tenant = ? AND x.since >= ?";
    private static final String IS_FAILED = Filter.unindexed("%s");
    private static final String LABELLED_IS_FAILED = Filter.unindexed("""
            EXISTS (SELECT 1 FROM ${t:failed_run} AS x
                     WHERE x.tenant = y.tenant AND x.state = y.state AND x.number = y.number AND %s)""");
    private static final String FAILED_PAGE_END = ") AS f JOIN ${t:run} AS r ON r.run_id = f.run_id ORDER BY f.number";
    private static final String PAGE =
            "SELECT " + StoredRuns.COLUMNS + " FROM (SELECT x.* FROM ${t:run} AS x ${index:%s} WHERE x.tenant = ?";
    private static final String LABEL_PAGE = "SELECT " + StoredRuns.COLUMNS
            + " FROM (SELECT y.* FROM ${t:run_label} AS x ${index:run_label_value}"
            + " JOIN ${t:run} AS y ON y.tenant = x.tenant AND y.number = x.number"
            + " WHERE x.tenant = ? AND x.label = ? AND x.value = ?";
    private static final String PAGE_END = ") AS r" + StoredRuns.OPEN + " ORDER BY r.number";

    // By how much a run may have a smaller number than one that was submitted before it: its step draws the number
    // after
    // it has read the clock. When a clock was set back, up to a minute of time comes twice while numbers rise: a list
    // up to
    // a moment has the runs of both, one since a moment of that minute may begin with those of the second.
    private static final long MARGIN = 10_000_000;
    private static final long MARGIN_OF_CLOCK = 75_000_000;
    private static final String SUBMITTED = "AND x.submitted_at %s ?";
    private static final String LABEL_SUBMITTED = Filter.unindexed("y.submitted_at %s ?");
    private static final String HAS_LABEL = Filter.unindexed("""
            EXISTS (SELECT 1 FROM ${t:run_label} AS y
                     WHERE y.number = x.number AND y.label = ? AND y.tenant = x.tenant AND y.value = ?)""");
    private static final String FAILED_SUBMITTED =
            Filter.unindexed("EXISTS (SELECT 1 FROM ${t:run} AS y WHERE y.run_id = x.run_id AND y.submitted_at %s ?)");

    private static final String ATTEMPTS = """
            SELECT t.ended_at, t.next, t.facts FROM ${t:attempt} AS t
             WHERE t.run_id = CAST(? AS ${uuid}) ORDER BY t.attempt""";

    /** How many ended runs of a key are looked at for successful ones. */
    private static final int PAST_LOOKED_AT = 100;

    private static final String PAST = """
            SELECT p.run_id, p.since, p.status FROM (
              SELECT r.run_id, r.number, r.state, r.since, r.status FROM ${t:run} AS r ${index:run_key}
               WHERE r.tenant = ? AND r.name = ? AND r.state IS NOT NULL
               ORDER BY r.number DESC LIMIT ?) AS p
             WHERE p.state = 'SUCCEEDED' ORDER BY p.number DESC LIMIT ?""";

    private static final String OUTPUTS = """
            SELECT o.attempt, o.text FROM ${t:output} AS o WHERE o.run_id = CAST(? AS ${uuid}) ORDER BY o.attempt""";

    private static final String SETTLED = "f.settled, f.kind, f.actor, f.reason, f.settled_at, f.successor";
    private static final int SETTLED_COLUMN = 10;
    private static final String LETTERS = "SELECT " + StoredRuns.ENDED_COLUMNS + ", " + SETTLED
            + " FROM (SELECT x.* FROM ${t:failed_run} AS x WHERE x.state = 'DEAD' AND x.number > ?";
    private static final String LETTERS_END =
            "ORDER BY x.number LIMIT ?) AS f JOIN ${t:run} AS r ON r.run_id = f.run_id ORDER BY f.number";
    private static final String LETTER =
            "SELECT " + SETTLED + " FROM ${t:failed_run} AS f WHERE f.tenant = ? AND f.state = 'DEAD' AND f.number = ?";

    private static final String RESOURCE_COLUMNS = """
            l.tenant, l.name, l.resource_kind, l.resource_state, l.resource_version, l.resource_owner, l.resource_settled,
            l.resource_since""";
    private static final String RESOURCE = "SELECT " + RESOURCE_COLUMNS
            + " FROM ${t:lease} AS l WHERE l.tenant = ? AND l.name = ? AND l.resource_kind IS NOT NULL";

    private static final String RESOURCES =
            "SELECT " + RESOURCE_COLUMNS + " FROM ${t:lease} AS l ${index:lease_resource} WHERE l.resource_kind = ?";
    private static final String IN_ORDER = "ORDER BY l.tenant, l.name LIMIT ?";

    private static final KeySteps.Kind<LockKey, List<Run>> QUEUE =
            new KeySteps.Kind<>(List::of, keys -> Step.Needs.KEYS, false, (step, key) -> {
                KeyState state = step.settled(key);
                Set<RunId> changed =
                        state.changes().runs().stream().map(Run::id).collect(Collectors.toSet());
                Stream<Run> kept = WaitingRuns.all(step.transaction(), step.runs(), key).stream()
                        .filter(run -> !changed.contains(run.id()));
                Stream<Run> moved = state.changes().runs().stream().filter(run -> run.state() == RunState.QUEUED);
                return Stream.concat(kept, moved)
                        .sorted(QueueRules.readyFirst(state.now()))
                        .toList();
            });

    private final Database database;
    private final StoredRuns runs;
    private final KeySteps steps;

    RunLists(Database database, StoredRuns runs, KeySteps steps) {
        this.database = database;
        this.runs = runs;
        this.steps = steps;
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        return database.peek(transaction -> runs.find(transaction, id));
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        LockKey key = query.key();
        if (key != null && !key.tenant().equals(query.tenant())) {
            return new RunPage(List.of(), false);
        }
        return RunPage.of(list(query), query.limit());
    }

    private List<Run> list(RunQuery query) {
        RunState state = query.state();
        RunQuery.Label label = query.label();
        RunQuery.Failure failure = query.failure();
        boolean open = state != null && !state.isTerminal();
        if ((failure != null && state != null && !state.isFailure()) || (query.ended() && open)) {
            return List.of();
        }
        if (label != null && !open) {
            Filter labelled =
                    new Filter(LABEL_PAGE, query.tenant(), Texts.shown(label.name()), Texts.shown(label.value()));
            if (failure != null) {
                failing(labelled, failure, LABELLED_IS_FAILED)
                        .andIf(String.format(LABELLED_IS_FAILED, "x.since >= ?"), micros(failure.since()));
            }
            labelled.andIf(Filter.unindexed("y.state = ?"), state == null ? null : state.name())
                    .and(query.ended() ? Filter.unindexed("y.state IS NOT NULL") : "");
            return page(labelled, query, LABEL_SUBMITTED, Filter.unindexed("y.%s = ?"), PAGE_END, runs::readOpen);
        }
        if (failure != null || (state != null && state.isTerminal() && state != RunState.SUCCEEDED)) {
            Long lately = failure == null ? null : micros(failure.since());
            Filter failed = lately == null
                    ? new Filter(FAILED_PAGE, query.tenant())
                    : new Filter(FAILED_LATELY, query.tenant(), lately);
            if (failure != null) {
                failing(failed, failure, IS_FAILED);
            }
            failed.andIf("AND x.state = ?", state == null ? null : state.name());
            return page(failed, query, FAILED_SUBMITTED, Filter.unindexed("x.%s = ?"), FAILED_PAGE_END, runs::read);
        }
        if (state == null || state == RunState.SUCCEEDED) {
            String index = query.key() != null ? "run_key" : query.job() != null ? "run_job" : "run_tenant";
            Filter all = new Filter(String.format(PAGE, index), query.tenant())
                    .and(state == null ? "" : Filter.unindexed("x.state = 'SUCCEEDED'"))
                    // A run that has not ended has its state elsewhere.
                    .and(query.ended() ? Filter.unindexed("x.state IS NOT NULL") : "");
            return page(all, query, SUBMITTED, "AND x.%s = ?", PAGE_END, runs::readOpen);
        }
        Filter openRuns = new Filter(OPEN_PAGE, query.tenant(), state == RunState.QUEUED ? 0 : 1);
        if (label != null) {
            openRuns.and(HAS_LABEL, Texts.shown(label.name()), Texts.shown(label.value()));
        }
        openRuns.and("AND x.state = ?", state.name());
        return page(openRuns, query, SUBMITTED, "AND x.%s = ?", OPEN_PAGE_END, runs::readOpen);
    }

    /**
     * A page of a list that was begun.
     *
     * @param submitted a condition about when runs were submitted
     * @param equal a condition about the column of name or job
     */
    private List<Run> page(
            Filter list, RunQuery query, String submitted, String equal, String end, Trip.Reader<Run> read) {
        String order = query.descending() ? " DESC" : "";
        return database.peek(transaction -> range(transaction, list, query, submitted)
                .andIf(
                        String.format(equal, "name"),
                        query.key() == null ? null : query.key().name())
                .andIf(
                        String.format(equal, "job"),
                        query.job() == null ? null : query.job().value())
                .and("ORDER BY x.number" + order + " LIMIT ?" + end + order, query.limit() + 1)
                .list(transaction, read));
    }

    /** Narrows a list by how runs failed; {@code form} says of a row of {@code failed_run} that it is so. */
    private static Filter failing(Filter filter, RunQuery.Failure failure, String form) {
        filter.and(String.format(form, failure.open() ? "x.state = 'DEAD' AND x.settled = 0" : "x.state <> 'ABORTED'"));
        String code = failure.code();
        return filter.andIf(String.format(form, "x.code = ?"), code == null ? null : StepWriter.code(code));
    }

    private static @Nullable Long micros(@Nullable Instant time) {
        return time == null ? null : Micros.ceiling(time);
    }

    /** Narrows a list to the numbers behind the page before, and to those of the time asked for. */
    private static Filter range(Transaction transaction, Filter filter, RunQuery query, String submitted)
            throws SQLException {
        if (query.after() != 0) {
            filter.and(query.descending() ? "AND x.number < ?" : "AND x.number > ?", query.after());
        }
        Instant since = query.since();
        if (since != null) {
            long from = Math.max(0, Micros.ceiling(since));
            String before = transaction.dialect().lastBefore();
            filter.and("AND x.number >= ?", transaction.query(before, Trip.NUMBER, query.tenant(), from - MARGIN))
                    .and(String.format(submitted, ">="), from);
        }
        Instant until = query.until();
        if (until != null) {
            long to = Math.max(0, Micros.ceiling(until));
            String behind = transaction.dialect().noneBeforeBehind();
            filter.and(
                            "AND x.number <= ?",
                            transaction.query(behind, Trip.NUMBER, query.tenant(), to + MARGIN_OF_CLOCK))
                    .and(String.format(submitted, "<"), to);
        }
        return filter;
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        return database.read(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<List<Attempt>> tried = trip.list(ATTEMPTS, row -> attempt(id, row), id.toString());
            Trip.Answer<List<Run>> found = trip.list(StoredRuns.FIND, runs::readOpen, id.toString());
            transaction.commit(trip);
            List<Attempt> attempts = new ArrayList<>(tried.get());
            found.get().stream().flatMap(run -> last(run, attempts).stream()).forEach(attempts::add);
            return List.copyOf(attempts);
        });
    }

    /** The attempt with which a run ended: it is not in the table. */
    private static Optional<Attempt> last(Run run, List<Attempt> before) {
        RunStatus status = run.status();
        Turn turn = status.turn();
        boolean own = turn != null
                && status.state().isTerminal()
                && before.stream().noneMatch(attempt -> attempt.turn().attempt() == turn.attempt());
        return turn == null || !own
                ? Optional.empty()
                : Optional.of(new Attempt(run.id(), turn, status.since(), status.state(), status.error()));
    }

    private static Attempt attempt(RunId id, ResultSet row) throws SQLException {
        try {
            return StatusText.readAttempt(
                    id, row.getString(3), Micros.moment(row.getLong(1)), RunState.valueOf(row.getString(2)));
        } catch (RuntimeException unreadable) {
            throw new SQLDataException(
                    "an attempt of run " + id + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    @Override
    public List<Run> queue(LockKey key) {
        return steps.lookAt(key, QUEUE);
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        return findRun(id).flatMap(run -> {
            LockKey key = run.key();
            List<Duration> past = database.peek(transaction -> pastRuntimes(transaction, key));
            return steps.lookAt(
                    id,
                    new KeySteps.Kind<RunId, Optional<Wait>>(
                            any -> List.of(key),
                            ids -> Step.Needs.runs(ids),
                            false,
                            (step, any) -> WaitRules.explain(step.settled(key), id, past)));
        });
    }

    @Override
    public SortedMap<Integer, String> outputs(RunId run) {
        SortedMap<Integer, String> found = new TreeMap<>();
        new Filter(OUTPUTS, run.toString())
                .ask(database, Trip.forEach(row -> found.put(row.getInt(1), row.getString(2))));
        return found;
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return new Filter(LETTERS, query.after())
                .andIf("AND x.tenant = ?", query.tenant())
                .andIf(
                        Filter.unindexed("x.job = ?"),
                        query.job() == null ? null : query.job().value())
                .and(query.open() ? Filter.unindexed("x.settled = 0") : "")
                .and(LETTERS_END, query.limit())
                .list(database, this::readLetter);
    }

    /** What was done about a dead run, or {@code null} if nothing was, or if it is not dead. */
    static DeadLetter.@Nullable Disposition disposition(Transaction transaction, Run run) throws SQLException {
        return transaction
                .query(
                        LETTER,
                        Trip.first(row -> Optional.ofNullable(settled(row, 1))),
                        run.key().tenant(),
                        run.number())
                .flatMap(done -> done)
                .orElse(null);
    }

    private DeadLetter readLetter(ResultSet row) throws SQLException {
        return new DeadLetter(runs.read(row), settled(row, SETTLED_COLUMN));
    }

    private static DeadLetter.@Nullable Disposition settled(ResultSet row, int column) throws SQLException {
        if (row.getInt(column) == 0) {
            return null;
        }
        String successor = row.getString(column + 5);
        return new DeadLetter.Disposition(
                DeadLetter.Disposition.Kind.valueOf(row.getString(column + 1)),
                row.getString(column + 2),
                row.getString(column + 3),
                Micros.moment(row.getLong(column + 4)),
                successor == null ? null : RunId.parse(successor));
    }

    /** How long the last attempts of the key's last successful runs took, the last one first, as {@code transaction} sees it. */
    static List<Duration> pastRuntimes(Transaction transaction, LockKey key) throws SQLException {
        List<Duration> found = new ArrayList<>();
        Trip.Taker take = row -> {
            Instant end = Micros.moment(row.getLong(2));
            StatusText.read(RunId.parse(row.getString(1)), row.getString(3), RunState.SUCCEEDED, end)
                    .lastTurn()
                    .ifPresent(turn -> found.add(Duration.between(turn.startedAt(), end)));
        };
        transaction.query(PAST, Trip.forEach(take), key.tenant(), key.name(), PAST_LOOKED_AT, WaitRules.PAST);
        return found;
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return new Filter(RESOURCE, key.tenant(), key.name()).ask(database, Trip.first(RunLists::readResource));
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        String kind = Texts.shown(query.kind());
        LockKey after = query.after();
        return database.read(transaction -> {
            Trip trip = transaction.trip();
            // The rest of a tenant and the tenants behind it, each as one range of the index.
            Trip.Answer<List<Resource>> same = new Filter(RESOURCES, kind)
                    .and("AND l.tenant = ? AND l.name > ?", tenant(after), after == null ? "" : after.name())
                    .and(IN_ORDER, query.limit())
                    .list(trip, RunLists::readResource);
            Trip.Answer<List<Resource>> behind = new Filter(RESOURCES, kind)
                    .and("AND l.tenant > ?", tenant(after))
                    .and(IN_ORDER, query.limit())
                    .list(trip, RunLists::readResource);
            transaction.commit(trip);
            return Stream.concat(same.get().stream(), behind.get().stream())
                    .limit(query.limit())
                    .toList();
        });
    }

    private static String tenant(@Nullable LockKey key) {
        return key == null ? "" : key.tenant();
    }

    private static Resource readResource(ResultSet row) throws SQLException {
        return KeyRow.resource(LockKey.of(row.getString(1), row.getString(2)), row, 3);
    }
}
