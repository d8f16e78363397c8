package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.run.Claimed;
import io.interlock.run.JobName;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.Settlement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Takes runs for workers: finds the first ones by index, whatever the number of runs that wait, and locks those that no other
 * claim has. Safe for use by many threads.
 */
final class ClaimSteps {

    /** How many tenants one claim looks at; the next one goes on with others. */
    private static final int TENANTS = 64;

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
            SELECT q.tenant, q.name, q.priority, q.submitted_at, q.number FROM ${t:open_run} AS q
             WHERE q.claimable = 1 AND q.tenant = %s AND q.job = %s AND q.priority = %s ORDER BY q.number LIMIT ?""";
    // All tenants, jobs and priorities in one statement, where a database can join what depends on the row before.
    private static final String FIRST_TOGETHER = "SELECT c.* FROM ${rows:k(tenant text, job text)} CROSS JOIN LATERAL ("
            + "SELECT max(q.priority) FROM ${t:open_run} AS q WHERE q.claimable = 1 AND q.tenant = k.tenant AND q.job = k.job"
            + ") AS m (top) CROSS JOIN generate_series(0, " + QueueRules.MOST_AGEING
            + ") AS d (less) CROSS JOIN LATERAL ("
            + String.format(FIRST, "k.tenant", "k.job", "m.top - d.less") + ") AS c";
    // Else first which priorities there are, and then the first runs of each of them.
    private static final String PRIORITIES = """
            SELECT k.tenant, k.job,
                   (SELECT max(q.priority) FROM ${t:open_run} AS q
                     WHERE q.claimable = 1 AND q.tenant = k.tenant AND q.job = k.job),
                   (SELECT min(q.priority) FROM ${t:open_run} AS q
                     WHERE q.claimable = 1 AND q.tenant = k.tenant AND q.job = k.job)
              FROM ${rows:k(tenant text, job text)}""";
    private static final String TAKEN = """
            SELECT q.tenant, q.name FROM ${t:open_run} AS q WHERE q.claim_id = CAST(? AS ${uuid}) ORDER BY q.number""";

    private final Database database;
    private final KeySteps steps;
    private final DueKeys due;
    private final PauseSteps pauses;
    private volatile String lastTenant = "";

    ClaimSteps(Database database, KeySteps steps, DueKeys due, PauseSteps pauses) {
        this.database = database;
        this.steps = steps;
        this.due = due;
        this.pauses = pauses;
    }

    /** A run that may be claimed. */
    private record Candidate(LockKey key, int priority, long submittedAt, long number) {

        int effective(long now) {
            long minutes = Math.max(0, (now - submittedAt) / 60_000_000);
            return priority + (int) Math.min(QueueRules.MOST_AGEING, minutes);
        }
    }

    /** What a claim finds before it locks anything. */
    private record Found(List<LockKey> taken, boolean isDue, boolean placesWanted, List<LockKey> first) {}

    List<Claimed> claim(ClaimRequest request) {
        if (request.jobs().isEmpty()) {
            return List.of();
        }
        Found found = look(request, request.max());
        if (!found.taken().isEmpty()) {
            List<Claimed> before =
                    steps.lookThenLock(found.taken(), found.taken().size(), (step, keys) -> {
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
        if (found.placesWanted()) {
            due.fillPlaces(
                    request.tenant() == null ? due.tenantsOutOfPlaces() : List.of(request.tenant()), request.max());
        }
        if (found.isDue() || found.placesWanted()) {
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
            claimed.addAll(take(request, next, request.max() - claimed.size(), looked, unclear));
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

    /** Takes nothing if an earlier attempt may have taken some: which, is found by the id of the claim. */
    private List<Claimed> take(
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
        return database.peek(transaction -> {
            List<String> tenants = tenant == null ? tenants(transaction) : List.of(tenant);
            Trip trip = transaction.trip();
            Trip.Answer<List<LockKey>> taken =
                    trip.query(TAKEN, DueKeys::keys, request.id().toString());
            Trip.Answer<Long> firstDue = DueKeys.firstDue(trip);
            Trip.Answer<StoreRow> store = StoreTable.read(trip, transaction.dialect());
            List<Candidate> candidates = first(transaction, trip, tenants, request.jobs(), wanted + SPARE);
            List<LockKey> first = inTurn(candidates, store.get().now(), wanted + SPARE);
            return new Found(
                    taken.get(),
                    firstDue.get() <= store.get().now(),
                    store.get().placesWanted(),
                    first);
        });
    }

    private List<String> tenants(Transaction transaction) throws SQLException {
        List<String> found = new ArrayList<>(transaction.query(TENANTS_AFTER, ClaimSteps::texts, lastTenant, TENANTS));
        if (found.size() < TENANTS && !lastTenant.isEmpty()) {
            for (String tenant : transaction.query(TENANTS_AFTER, ClaimSteps::texts, "", TENANTS - found.size())) {
                if (!found.contains(tenant)) {
                    found.add(tenant);
                }
            }
        }
        lastTenant = found.size() < TENANTS ? "" : found.get(found.size() - 1);
        return found;
    }

    private static List<Candidate> first(
            Transaction transaction, Trip trip, List<String> tenants, Set<JobName> jobs, int limit)
            throws SQLException {
        if (tenants.isEmpty()) {
            trip.run();
            return List.of();
        }
        Rows pairs = new Rows();
        tenants.forEach(tenant -> jobs.forEach(job -> pairs.add(tenant, job.value())));
        if (transaction.dialect().joinsLaterally()) {
            Trip.Answer<List<Candidate>> found = trip.query(FIRST_TOGETHER, ClaimSteps::candidates, pairs, limit);
            trip.run();
            return found.get();
        }
        Trip.Answer<List<Priorities>> priorities = trip.query(PRIORITIES, Priorities::read, pairs);
        trip.run();
        Trip second = transaction.trip();
        List<Trip.Answer<List<Candidate>>> found = new ArrayList<>();
        for (Priorities of : priorities.get()) {
            int last = Math.max(of.least(), of.greatest() - QueueRules.MOST_AGEING);
            for (int priority = of.greatest(); priority >= last; priority--) {
                found.add(second.query(
                        String.format(FIRST, "?", "?", "?"),
                        ClaimSteps::candidates,
                        of.tenant(),
                        of.job(),
                        priority,
                        limit));
            }
        }
        second.run();
        return found.stream().flatMap(answer -> answer.get().stream()).toList();
    }

    /** Between which priorities the runs of a tenant and a job are that may be claimed. */
    private record Priorities(String tenant, String job, int greatest, int least) {

        static List<Priorities> read(ResultSet rows) throws SQLException {
            List<Priorities> found = new ArrayList<>();
            while (rows.next()) {
                if (KeyRow.number(rows, 3) != null) {
                    found.add(new Priorities(rows.getString(1), rows.getString(2), rows.getInt(3), rows.getInt(4)));
                }
            }
            return found;
        }
    }

    // The first of every tenant, then the second of every tenant: a long queue of one keeps no other waiting.
    private static List<LockKey> inTurn(List<Candidate> candidates, long now, int limit) {
        Comparator<Candidate> order =
                Comparator.<Candidate>comparingInt(each -> -each.effective(now)).thenComparingLong(Candidate::number);
        Map<String, Integer> before = new HashMap<>();
        Map<Candidate, Integer> place = new HashMap<>();
        candidates.stream()
                .sorted(order)
                .forEach(each -> place.put(each, before.merge(each.key().tenant(), 1, Integer::sum)));
        return candidates.stream()
                .sorted(Comparator.<Candidate>comparingInt(each -> place.getOrDefault(each, 0))
                        .thenComparing(order))
                .limit(limit)
                .map(Candidate::key)
                .toList();
    }

    private static List<Candidate> candidates(ResultSet rows) throws SQLException {
        List<Candidate> found = new ArrayList<>();
        while (rows.next()) {
            found.add(new Candidate(
                    LockKey.of(rows.getString(1), rows.getString(2)),
                    rows.getInt(3),
                    rows.getLong(4),
                    rows.getLong(5)));
        }
        return found;
    }

    private static List<String> texts(ResultSet rows) throws SQLException {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
            @Nullable String text = rows.getString(1);
            if (text != null) {
                found.add(text);
            }
        }
        return found;
    }
}
