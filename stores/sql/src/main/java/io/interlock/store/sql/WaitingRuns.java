package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.LineRules.Standing;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.RunQueue;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The runs that wait for one key, within one transaction. What a step usually needs is loaded together with the key; the rest
 * is asked for when a rule wants it. Belongs to one thread.
 */
final class WaitingRuns implements RunQueue {

    private static final String SELECT = "SELECT " + StoredRuns.OPEN_COLUMNS
            + " FROM ${t:open_run} AS q JOIN ${t:run} AS r ON r.run_id = q.run_id"
            + " WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? ";
    private static final String FRONT =
            SELECT + "AND q.rank < " + LineRules.RESTING + " ORDER BY q.rank, q.seq LIMIT ?";
    /** The next runs behind a rank and a number. */
    static final String BEHIND =
            SELECT + "AND q.rank >= ? AND (q.rank > ? OR q.seq > ?) ORDER BY q.rank, q.seq LIMIT ?";

    private static final String RESTING =
            SELECT + "AND q.rank >= " + LineRules.RESTING + " ORDER BY q.rank, q.seq LIMIT ?";
    private static final String DUE = SELECT + "AND q.due_at <= ? ORDER BY q.due_at LIMIT ?";
    private static final String OF_JOB = SELECT + "AND q.job = ? ORDER BY q.rank, q.seq";
    private static final String FIND =
            "SELECT " + StoredRuns.OPEN_COLUMNS + " FROM ${t:run} AS r JOIN ${t:open_run} AS q ON " + StoredRuns.WAITING
                    + " WHERE r.run_id = CAST(? AS ${uuid}) AND r.tenant = ? AND r.name = ?";
    private static final String NEXT_DUE = """
            SELECT q.due_at, q.run_id FROM ${t:open_run} AS q
             WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? AND q.due_at IS NOT NULL ORDER BY q.due_at LIMIT ?""";
    private static final String AHEAD = """
            SELECT count(*) FROM ${t:open_run} AS q
             WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? AND q.rank <= ? AND (q.rank < ? OR q.seq < ?)""";
    private static final String SPOTS =
            "SELECT q.rank, q.seq FROM ${t:open_run} AS q WHERE q.tenant = ? AND q.busy = 0 AND q.name = ?";

    private final Transaction transaction;
    private final StoredRuns runs;
    private final LockKey key;
    private final KeyRow.QueueFacts facts;
    private final long now;
    private final Map<RunId, Standing> loaded = new LinkedHashMap<>();
    private @Nullable List<Run> front;
    private @Nullable Long lastReadyRank;
    private @Nullable List<Spot> spots;
    private boolean hasCounted;
    private boolean noMoreDue;

    private record Spot(long rank, long number) {}

    WaitingRuns(Transaction transaction, StoredRuns runs, KeyRow row, long now) {
        this.transaction = transaction;
        this.runs = runs;
        key = row.key();
        facts = row.queue();
        this.now = now;
    }

    /** Takes over a run that was loaded with the key. */
    void loaded(Standing waiting) {
        loaded.putIfAbsent(waiting.run().id(), waiting);
    }

    /**
     * Takes over what was loaded with the key.
     *
     * @param whole whether the front was loaded
     * @param lastRank the last rank of the runs that are ready, or {@code null} if it is not known
     */
    void loaded(List<Standing> first, boolean whole, @Nullable Long lastRank) {
        first.forEach(this::loaded);
        front = whole ? first.stream().map(Standing::run).toList() : null;
        lastReadyRank = lastRank;
    }

    /** The rank a run of the store has in the table. */
    long rankOf(RunId id) {
        Standing waiting = loaded.get(id);
        if (waiting == null) {
            throw new IllegalStateException("run " + id + " was not loaded");
        }
        return waiting.rank();
    }

    /** A run as the store has it, if it was loaded. */
    @Nullable
    Run stored(RunId id) {
        Standing waiting = loaded.get(id);
        return waiting == null ? null : waiting.run();
    }

    @Override
    public int size() {
        return facts.size();
    }

    @Override
    public Optional<Run> find(RunId id) {
        Standing known = loaded.get(id);
        if (known != null || facts.size() == 0) {
            return Optional.ofNullable(known).map(Standing::run);
        }
        return ask(FIND, id.toString(), key.tenant(), key.name()).stream().findFirst();
    }

    @Override
    public List<Run> front(Set<RunId> except, int limit) {
        if (facts.size() == 0) {
            return List.of();
        }
        List<Run> first = front;
        if (first == null) {
            first = ask(FRONT, key.tenant(), key.name(), QueueRules.FRONT);
            front = first;
        }
        List<Run> left = without(first, except, limit);
        boolean isAll = first.size() < QueueRules.FRONT;
        return left.size() >= limit || isAll
                ? left
                : without(ask(FRONT, key.tenant(), key.name(), limit + except.size()), except, limit);
    }

    @Override
    public List<Run> resting(Set<RunId> except, int limit) {
        return facts.resting() == 0
                ? List.of()
                : without(ask(RESTING, key.tenant(), key.name(), limit + except.size()), except, limit);
    }

    @Override
    public List<Run> due(Instant moment, Set<RunId> except, int limit) {
        if (!mayBeDue() || noMoreDue) {
            return List.of();
        }
        List<Run> found = ask(DUE, key.tenant(), key.name(), now, limit + except.size());
        // The time of a step stands still: what was not due at its first question is not due at a later one.
        noMoreDue = found.size() < limit + except.size();
        return without(found, except, limit);
    }

    private static List<Run> without(List<Run> runs, Set<RunId> except, int limit) {
        return runs.stream()
                .filter(run -> !except.contains(run.id()))
                .limit(limit)
                .toList();
    }

    private boolean mayBeDue() {
        Long dueAt = facts.dueAt();
        return facts.size() > 0 && dueAt != null && dueAt <= now;
    }

    @Override
    public List<Run> ofJob(JobName job, Set<RunId> except) {
        return facts.size() == 0
                ? List.of()
                : without(ask(OF_JOB, key.tenant(), key.name(), job.value()), except, Integer.MAX_VALUE);
    }

    @Override
    public int ahead(Run run, Instant moment, Set<RunId> except) {
        if (facts.size() == 0) {
            return 0;
        }
        Standing mine = Standing.of(run, moment);
        long rank = mine.rank();
        // A newcomer of the least place is behind all that are ready, which the row of the key has counted.
        boolean isLast = lastReadyRank != null
                && rank >= lastReadyRank
                && rank < LineRules.RESTING
                && !loaded.containsKey(run.id());
        int ahead = isLast ? facts.size() - facts.resting() : before(rank, run.number());
        long left = except.stream()
                .map(loaded::get)
                .filter(other ->
                        other != null && mine.isBehind(other.rank(), other.run().number()))
                .count();
        return ahead - (int) left;
    }

    // The database counts for the first request of a step. If there are more, the queue is read once for all of them.
    private int before(long rank, long number) {
        if (!hasCounted) {
            hasCounted = true;
            return list(AHEAD, row -> row.getInt(1), key.tenant(), key.name(), rank, rank, number)
                    .get(0);
        }
        List<Spot> all = spots;
        if (all == null) {
            all = list(SPOTS, row -> new Spot(row.getLong(1), row.getLong(2)), key.tenant(), key.name());
            spots = all;
        }
        return (int) all.stream()
                .filter(spot -> spot.rank() < rank || (spot.rank() == rank && spot.number() < number))
                .count();
    }

    @Override
    public @Nullable Instant nextDue(Set<RunId> except) {
        Long dueAt = facts.dueAt();
        if (facts.size() == 0 || dueAt == null) {
            return null;
        }
        if (dueAt > now) {
            return Micros.moment(dueAt);
        }
        return list(
                        NEXT_DUE,
                        row -> new Due(RunId.parse(row.getString(2)), row.getLong(1)),
                        key.tenant(),
                        key.name(),
                        except.size() + 1)
                .stream()
                .filter(next -> !except.contains(next.run()))
                .map(next -> Micros.moment(next.at()))
                .findFirst()
                .orElse(null);
    }

    private record Due(RunId run, long at) {}

    private List<Run> ask(String sql, @Nullable Object... values) {
        return list(sql, this::take, values);
    }

    private Run take(ResultSet row) throws SQLException {
        Standing read = runs.readStanding(row);
        loaded(read);
        return loaded.getOrDefault(read.run().id(), read).run();
    }

    private <T> List<T> list(String sql, Trip.Reader<T> row, @Nullable Object... values) {
        try {
            return transaction.list(sql, row, values);
        } catch (SQLException failure) {
            throw new StepFailure(failure);
        }
    }

    /** All runs that wait for a key. */
    static List<Run> all(Transaction transaction, StoredRuns runs, LockKey key) throws SQLException {
        return transaction.list(SELECT, runs::readOpen, key.tenant(), key.name());
    }

    /** A failure of the database inside a rule, which cannot throw it. */
    static final class StepFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final SQLException failure;

        StepFailure(SQLException failure) {
            super(failure);
            this.failure = failure;
        }

        SQLException failure() {
            return failure;
        }
    }
}
