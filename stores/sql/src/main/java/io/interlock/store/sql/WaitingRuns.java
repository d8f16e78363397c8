package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.RunQueue;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
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
    private static final String OF_RANK = SELECT + "AND q.rank = ? ORDER BY q.seq LIMIT ?";
    static final String OF_RANK_AFTER = SELECT + "AND q.rank = ? AND q.seq > ? ORDER BY q.seq LIMIT ?";
    private static final String RESTING =
            SELECT + "AND q.rank >= " + LineRules.RESTING + " ORDER BY q.rank, q.seq LIMIT ?";
    private static final String DUE = SELECT + "AND q.due_at <= ? ORDER BY q.due_at LIMIT ?";
    private static final String OF_JOB = SELECT + "AND q.job = ? ORDER BY q.rank, q.seq";
    private static final String FIND =
            "SELECT " + StoredRuns.OPEN_COLUMNS + " FROM ${t:run} AS r JOIN ${t:open_run} AS q ON " + StoredRuns.WAITING
                    + " WHERE r.run_id = CAST(? AS ${uuid}) AND r.tenant = ? AND r.name = ?";
    private static final String RANKS = """
            SELECT DISTINCT q.rank FROM ${t:open_run} AS q
             WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? AND q.rank < %d ORDER BY q.rank""".formatted(LineRules.RESTING);
    private static final String NEXT_DUE = """
            SELECT q.due_at, q.run_id FROM ${t:open_run} AS q
             WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? AND q.due_at IS NOT NULL ORDER BY q.due_at LIMIT ?""";
    private static final String PLACES = """
            SELECT q.run_id, q.rank, q.number, q.priority, q.submitted_at FROM ${t:open_run} AS q
             WHERE q.tenant = ? AND q.busy = 0 AND q.name = ?""";

    private final Transaction transaction;
    private final StoredRuns runs;
    private final LockKey key;
    private final KeyRow.QueueFacts facts;
    private final long now;
    private final Map<RunId, StoredRuns.Waiting> loaded = new LinkedHashMap<>();
    private @Nullable List<Run> front;
    private @Nullable Integer lastReadyRank;
    private @Nullable List<Place> places;
    private boolean noMoreDue;

    private record Place(RunId id, int rank, long number, int priority, Instant submittedAt) {}

    WaitingRuns(Transaction transaction, StoredRuns runs, KeyRow row, long now) {
        this.transaction = transaction;
        this.runs = runs;
        key = row.key();
        facts = row.queue();
        this.now = now;
    }

    /** Takes over a run that was loaded with the key. */
    void loaded(Run run, int rank) {
        loaded.putIfAbsent(run.id(), new StoredRuns.Waiting(run, rank));
    }

    /**
     * Takes over what was loaded with the key.
     *
     * @param first the front by priority, without ageing
     * @param whole whether the front was loaded
     * @param lastRank the last rank of the runs that are ready, or {@code null} if it is not known
     */
    void loaded(List<StoredRuns.Waiting> first, boolean whole, @Nullable Integer lastRank) {
        first.forEach(waiting -> loaded(waiting.run(), waiting.rank()));
        front = whole ? first.stream().map(StoredRuns.Waiting::run).toList() : null;
        lastReadyRank = lastRank;
    }

    /** The rank a run of the store has in the table. */
    int rankOf(RunId id) {
        StoredRuns.Waiting waiting = loaded.get(id);
        if (waiting == null) {
            throw new IllegalStateException("run " + id + " was not loaded");
        }
        return waiting.rank();
    }

    /** A run as the store has it, if it was loaded. */
    @Nullable
    Run stored(RunId id) {
        StoredRuns.Waiting waiting = loaded.get(id);
        return waiting == null ? null : waiting.run();
    }

    @Override
    public int size() {
        return facts.size();
    }

    @Override
    public Optional<Run> find(RunId id) {
        StoredRuns.Waiting known = loaded.get(id);
        if (known != null || facts.size() == 0) {
            return Optional.ofNullable(known).map(StoredRuns.Waiting::run);
        }
        return ask(FIND, id.toString(), key.tenant(), key.name()).stream().findFirst();
    }

    @Override
    public List<Run> front(Instant moment, Set<RunId> except, int limit) {
        if (facts.size() == 0) {
            return List.of();
        }
        List<Run> first = front;
        if (first == null) {
            first = ask(FRONT, key.tenant(), key.name(), QueueRules.FRONT);
            front = first;
        }
        if (first.isEmpty()) {
            return List.of();
        }
        List<Run> left = without(first, except, limit);
        if (left.size() >= limit && isOfOnePriority(first.get(0))) {
            return left;
        }
        return byRank(moment, except, limit);
    }

    // Waiting raises a priority by ten at most: once there are enough runs, those of ten more priorities may overtake
    // them.
    private List<Run> byRank(Instant moment, Set<RunId> except, int limit) {
        List<Integer> ranks = list(RANKS, row -> row.getInt(1), key.tenant(), key.name());
        List<Run> candidates = new ArrayList<>();
        int last = Integer.MAX_VALUE;
        for (int rank : ranks) {
            if (rank > last) {
                break;
            }
            candidates.addAll(
                    without(ask(OF_RANK, key.tenant(), key.name(), rank, limit + except.size()), except, limit));
            if (candidates.size() >= limit && last == Integer.MAX_VALUE) {
                last = rank + QueueRules.MOST_AGEING;
            }
        }
        return candidates.stream().sorted(QueueRules.order(moment)).limit(limit).toList();
    }

    private boolean isOfOnePriority(Run first) {
        Integer last = lastReadyRank;
        return last != null && last == rankOf(first.id());
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
        int ready = facts.size() - facts.resting();
        if (facts.size() == 0) {
            return 0;
        }
        boolean isLast = lastReadyRank != null
                && -run.spec().priority() >= lastReadyRank
                && !loaded.containsKey(run.id())
                && QueueRules.isReady(run, moment);
        if (isLast) {
            int changed = (int) except.stream()
                    .map(loaded::get)
                    .filter(waiting -> waiting != null && waiting.rank() < LineRules.RESTING)
                    .count();
            return ready - changed;
        }
        Instant at = Micros.moment(now);
        int mine = QueueRules.effectivePriority(run, at);
        boolean isReady = QueueRules.isReady(run, moment);
        int ahead = 0;
        for (Place place : places()) {
            if (!except.contains(place.id()) && !place.id().equals(run.id())) {
                boolean otherReady = place.rank() < LineRules.RESTING;
                int other = QueueRules.effectivePriority(place.priority(), place.submittedAt(), at);
                boolean before = otherReady != isReady
                        ? otherReady
                        : other != mine ? other > mine : place.number() < run.number();
                ahead += before ? 1 : 0;
            }
        }
        return ahead;
    }

    // Read once for all requests of a step: a place in the middle of a queue is known by counting.
    private List<Place> places() {
        List<Place> known = places;
        if (known == null) {
            known = list(
                    PLACES,
                    row -> new Place(
                            RunId.parse(row.getString(1)),
                            row.getInt(2),
                            row.getLong(3),
                            row.getInt(4),
                            Micros.moment(row.getLong(5))),
                    key.tenant(),
                    key.name());
            places = known;
        }
        return known;
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
        Run run = runs.readOpen(row);
        loaded(run, row.getInt(13));
        return loaded.getOrDefault(run.id(), new StoredRuns.Waiting(run, 0)).run();
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
