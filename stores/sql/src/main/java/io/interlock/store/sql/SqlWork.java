package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Run;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkSteps;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps.OutputNote;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.ClaimRules.TenantTurns;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.time.Environment.Ticker;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The steps of workers. A claim finds the first runs by index, whatever the number of runs that wait, and locks those that no
 * other claim has. Safe for use by many threads.
 */
final class SqlWork implements WorkSteps {

    /** How many tenants one claim looks at; the next one goes on with others. */
    private static final int TENANTS = 64;

    /** How long a claim goes by the tenants that an earlier one found, as long as they have enough work for it. */
    private static final long TENANTS_KNOWN_FOR = TimeUnit.MILLISECONDS.toNanos(50);

    /** How many candidates are looked at beyond those that are wanted, because other claims may have them. */
    private static final int SPARE = 16;

    private static final String TENANTS_AFTER = """
            WITH RECURSIVE t (tenant, place) AS (
              SELECT min(f.tenant), 1 FROM ${t:open_run} AS f WHERE f.claimable = 1 AND f.tenant > ?
              UNION ALL
              SELECT (SELECT min(q.tenant) FROM ${t:open_run} AS q WHERE q.claimable = 1 AND q.tenant > t.tenant),
                     t.place + 1
                FROM t WHERE t.tenant IS NOT NULL AND t.place < ?)
            SELECT t.tenant FROM t WHERE t.tenant IS NOT NULL ORDER BY t.place""";
    private static final String FIRST = """
            SELECT q.tenant, q.name, q.place, q.number FROM ${t:open_run} AS q
             WHERE q.claimable = 1 AND q.tenant = %s AND q.job = %s ORDER BY q.place, q.number LIMIT ?""";
    // Of all tenants and jobs in one statement, where a database can join what depends on the row before.
    private static final String FIRST_TOGETHER = "SELECT c.* FROM ${rows:k(tenant text, job text)} CROSS JOIN LATERAL ("
            + String.format(FIRST, "k.tenant", "k.job") + ") AS c";
    private static final String TAKEN = """
            SELECT q.tenant, q.name FROM ${t:open_run} AS q WHERE q.claim_id = CAST(? AS ${uuid}) ORDER BY q.number""";

    private static final String FORGET_OUTPUT =
            "DELETE FROM ${t:output} WHERE run_id = CAST(? AS ${uuid}) AND attempt <= ?";

    private static final KeySteps.Kind<HeartbeatRequest, HeartbeatAnswer> HEARTBEAT = new KeySteps.Kind<>(
            request -> List.of(request.key()),
            requests -> Step.Needs.BUSY_RUNS,
            false,
            (step, request) -> ClaimRules.heartbeat(step.settled(request.key()), request));
    private static final KeySteps.Kind<FinishRequest, FinishAnswer> FINISH =
            new KeySteps.Kind<>(request -> List.of(request.key()), requests -> Step.Needs.KEYS, false, SqlWork::finish);

    private final Database database;
    private final StoredRuns runs;
    private final SqlStore.Feed feed;
    private final KeySteps steps;
    private final DueKeys due;
    private final PauseSteps pauses;
    private final Ticker ticker;
    private final TenantTurns turns = new TenantTurns();
    private final TenantPages tenantPages = new TenantPages(TENANTS_AFTER, TENANTS);
    private volatile @Nullable Tenants known;

    SqlWork(
            Database database,
            StoredRuns runs,
            SqlStore.Feed feed,
            KeySteps steps,
            DueKeys due,
            PauseSteps pauses,
            Ticker ticker) {
        this.database = database;
        this.runs = runs;
        this.feed = feed;
        this.steps = steps;
        this.due = due;
        this.pauses = pauses;
        this.ticker = ticker;
    }

    /** All tenants that had work at a moment of the ticker. */
    private record Tenants(List<String> names, long at) {}

    private record Candidate(LockKey key, long place, long number) {}

    /** What a claim finds before it locks anything. */
    private record Found(List<LockKey> taken, boolean isDue, boolean placesWanted, List<LockKey> first) {}

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return feed.watchWork(tenant, lookAgain);
    }

    @Override
    public Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests) {
        return steps.answer(Database.Lane.URGENT, requests, HEARTBEAT);
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return steps.answer(Database.Lane.URGENT, requests, FINISH);
    }

    private static FinishAnswer finish(Step step, FinishRequest request) throws SQLException {
        KeyState state = step.settled(request.key());
        Run busy = state.before().busy().stream()
                .filter(run -> run.id().equals(request.run()))
                .findFirst()
                .orElse(null);
        return FinishRules.finish(state, request, busy != null ? busy : step.find(request.run()));
    }

    @Override
    public boolean claimsNext() {
        return true;
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return database.write(Database.Lane.STEPS, transaction -> {
            Optional<Turn> turn = runs.find(transaction, note.run())
                    .filter(note::isProofOf)
                    .flatMap(run -> run.status().lastTurn());
            if (turn.isEmpty()) {
                return false;
            }
            int attempt = turn.get().attempt();
            Trip trip = transaction.trip();
            Rows rows = Rows.of(note.run().toString(), attempt, Texts.shown(note.text()));
            transaction.dialect().put(trip, "output", "run_id uuid, attempt int", "text text", rows);
            if (attempt > OutputNote.MOST_ATTEMPTS) {
                trip.update(FORGET_OUTPUT, note.run().toString(), attempt - OutputNote.MOST_ATTEMPTS);
            }
            transaction.commit(trip);
            return true;
        });
    }

    @Override
    public List<Claimed> claim(ClaimRequest request) {
        if (request.jobs().isEmpty()) {
            return List.of();
        }
        Found found = look(request, request.max());
        if (!found.taken().isEmpty()) {
            List<Claimed> before = steps.lockFirst(found.taken(), (step, keys) -> {
                List<Claimed> mine = new ArrayList<>();
                for (Step.LoadedKey key : step.keys()) {
                    Settlement.settle(key.state());
                    ClaimRules.claimedBefore(key.state(), request).ifPresent(mine::add);
                }
                return mine;
            });
            if (!before.isEmpty()) {
                return before;
            }
        }
        if (found.isDue()) {
            // What has become free since is claimed at once.
            due.settle(DueKeys.PAGE);
            pauses.settleEnded(1);
        }
        List<String> withPlaces = !found.placesWanted()
                ? List.of()
                : request.tenant() == null ? due.tenantsWithPlaces() : List.of(request.tenant());
        due.fillPlaces(withPlaces, request.max());
        if (found.isDue() || !withPlaces.isEmpty()) {
            found = look(request, request.max());
        }
        List<Claimed> claimed = new ArrayList<>();
        Set<LockKey> tried = new HashSet<>();
        while (claimed.size() < request.max()) {
            List<LockKey> next =
                    found.first().stream().filter(key -> !tried.contains(key)).toList();
            if (next.isEmpty()) {
                break;
            }
            List<LockKey> looked = new ArrayList<>();
            AtomicBoolean unclear = new AtomicBoolean();
            List<Claimed> taken = take(request, next, request.max() - claimed.size(), looked, unclear);
            taken.forEach(work -> turns.took(work.run().key().tenant()));
            claimed.addAll(taken);
            if (unclear.get()) {
                return claim(request);
            }
            tried.addAll(looked.isEmpty() ? next : looked);
            if (claimed.size() < request.max()) {
                found = look(request, request.max() - claimed.size());
            }
        }
        return claimed;
    }

    /** Takes up to {@code most} of the runs of these keys. */
    private List<Claimed> take(
            ClaimRequest request, List<LockKey> keys, int most, List<LockKey> looked, AtomicBoolean unclear) {
        List<Claimed> taken = new ArrayList<>();
        steps.eachReadable(keys, some -> {
            int left = most - taken.size();
            List<LockKey> here = new ArrayList<>();
            if (left > 0 && !unclear.get()) {
                taken.addAll(takeTogether(request, some, left, here, unclear));
                looked.addAll(here);
            }
            return here;
        });
        return taken;
    }

    /** Takes nothing if an earlier attempt may have taken some: which, is found by the id of the claim. */
    private List<Claimed> takeTogether(
            ClaimRequest request, List<LockKey> keys, int most, List<LockKey> looked, AtomicBoolean unclear) {
        return steps.lockFirst(keys, most, Step.Needs.BUSY_RUNS, (step, wanted) -> {
            List<Claimed> taken = new ArrayList<>();
            looked.clear();
            if (step.transaction().mayHaveBeenDone()) {
                unclear.set(true);
                return taken;
            }
            for (LockKey each : wanted) {
                Step.LoadedKey key = step.key(each);
                if (key != null) {
                    looked.add(each);
                    Settlement.settleBusy(key.state());
                    ClaimRules.claim(key.state(), request).ifPresent(work -> {
                        step.writer().claimed(work.run().id(), request.id());
                        taken.add(work);
                    });
                }
            }
            return taken;
        });
    }

    private Found look(ClaimRequest request, int wanted) {
        String tenant = request.tenant();
        if (tenant != null) {
            return look(request, wanted, List.of(tenant));
        }
        Tenants recent = known;
        if (recent != null && ticker.nanos() - recent.at() < TENANTS_KNOWN_FOR) {
            Found found = look(request, wanted, recent.names());
            if (found.first().size() >= wanted) {
                return found;
            }
        }
        return look(request, wanted, database.peek(this::tenants));
    }

    private Found look(ClaimRequest request, int wanted, List<String> tenants) {
        int limit = wanted + SPARE + steps.unreadableKeys();
        Rows queues = new Rows();
        tenants.forEach(tenant -> request.jobs().forEach(job -> queues.add(tenant, job.value())));
        // In a transaction only where that takes no trips of its own: there, plans are kept.
        boolean together = database.dialect().pipelines();
        Database.Work<Found> work = transaction -> {
            Trip trip = transaction.trip();
            List<Trip.Answer<List<Candidate>>> first = new ArrayList<>();
            if (transaction.dialect().joinsLaterally() && !queues.isEmpty()) {
                first.add(trip.list(FIRST_TOGETHER, SqlWork::candidate, queues, limit));
            } else {
                queues.all()
                        .forEach(queue -> first.add(trip.list(
                                String.format(FIRST, "?", "?"), SqlWork::candidate, queue[0], queue[1], limit)));
            }
            Trip.Answer<List<LockKey>> taken =
                    trip.list(TAKEN, DueKeys::key, request.id().toString());
            LongPredicate isDue = due.isAnyDue(trip);
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            if (together) {
                transaction.commit(trip);
            } else {
                trip.run();
            }
            List<Candidate> candidates = first.stream()
                    .flatMap(answer -> answer.get().stream())
                    .filter(each -> !steps.isUnreadable(each.key()))
                    .toList();
            return new Found(
                    taken.get(), isDue.test(store.get().now()), store.get().placesWanted(), inTurn(candidates, limit));
        };
        return together ? database.read(work) : database.peek(work);
    }

    private List<String> tenants(Transaction transaction) throws SQLException {
        List<String> found = tenantPages.next(transaction);
        known = found.size() < TENANTS ? new Tenants(found, ticker.nanos()) : null;
        return found;
    }

    // The first of every tenant, then the second of every tenant, beginning with the tenant that had none for the
    // longest time: a long queue of one keeps no other waiting.
    private List<LockKey> inTurn(List<Candidate> candidates, int limit) {
        Comparator<Candidate> order = Comparator.comparingLong(Candidate::place).thenComparingLong(Candidate::number);
        Map<String, Integer> before = new HashMap<>();
        // Other claims may take turns while this one sorts.
        Map<String, Long> last = new HashMap<>();
        candidates.forEach(each -> last.computeIfAbsent(each.key().tenant(), turns::last));
        Map<Candidate, Integer> place = new HashMap<>();
        candidates.stream()
                .sorted(order)
                .forEach(each -> place.put(each, before.merge(each.key().tenant(), 1, Integer::sum)));
        return candidates.stream()
                .sorted(Comparator.<Candidate>comparingInt(each -> place.getOrDefault(each, 0))
                        .thenComparingLong(each -> last.getOrDefault(each.key().tenant(), 0L))
                        .thenComparing(order))
                .limit(limit)
                .map(Candidate::key)
                .toList();
    }

    private static Candidate candidate(ResultSet row) throws SQLException {
        return new Candidate(LockKey.of(row.getString(1), row.getString(2)), row.getLong(3), row.getLong(4));
    }
}
