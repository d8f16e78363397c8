package io.interlock.store.sql;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunSpec.Origin;
import io.interlock.run.RunStatus;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.QueueRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Submissions that one statement decides and writes, in one round trip: a run starts on a key that is free, or waits at the end
 * of the queue of a key that is not. These are the two cases of {@link io.interlock.spi.run.rules.SubmitRules} that depend on
 * nothing but the locked row of the key, as long as nothing is due on it. All other requests take the long way. Safe for use by
 * many threads.
 */
final class QuickSubmits {

    private static final String ASKED = """
            tenant text, name text, nth int, total int, queues int, run_id uuid, job text, behind bigint, spec text,
            payload int, status text, actor text, correlation text, address text""";

    // A busy run that is due, or is not there though the row says so, is a matter for the rules. OFFSET 0 keeps
    // PostgreSQL from reading all open runs into a hash table.
    private static final String SUBMIT = """
            WITH h AS MATERIALIZED (
              SELECT k.*, l.plain, l.lease_id, l.expires_at, l.run_id AS holder, l.reserved_for, l.queued, l.resting, l.due_at,
                     l.lease_id IS NULL AND l.reserved_for IS NULL AND l.queued = 0 AS unused,
                     l.blocked_number IS NULL AND l.evicted_at IS NULL AND l.probed = 0 AS usual
                FROM ${rows:k(%1$s)} JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name %2$s),
            c AS MATERIALIZED (
              SELECT %3$s AS now, s.quiet_until
                FROM (SELECT count(*) AS locked FROM h) AS w CROSS JOIN ${t:store} AS s WHERE w.locked > 0 AND %4$s),
            d AS MATERIALIZED (
              SELECT e.*, %5$s AS number FROM (
                SELECT h.*, c.now, h.unused AND h.nth = 1 AS starts,
                       h.nth + CASE WHEN h.unused THEN -1 ELSE h.queued - h.resting END AS place
                  FROM %9$s CROSS JOIN c
                 WHERE c.quiet_until <= c.now AND CASE
                   WHEN h.unused THEN h.plain = 1 OR NOT (
                        EXISTS (SELECT 1 FROM ${t:open_run} AS q
                                 WHERE q.tenant = h.tenant AND q.busy = 1 AND q.name = h.name OFFSET 0)
                        OR EXISTS (SELECT 1 FROM ${t:pause} AS p WHERE p.tenant = h.tenant))
                   ELSE h.queues = 1 AND h.usual AND (h.due_at IS NULL OR h.due_at > c.now)
                    AND (h.reserved_for IS NOT NULL OR (h.lease_id IS NOT NULL AND h.expires_at > c.now))
                    AND ((h.reserved_for IS NULL AND h.holder IS NULL) OR EXISTS (
                        SELECT 1 FROM ${t:open_run} AS q WHERE q.tenant = h.tenant AND q.busy = 1 AND q.name = h.name
                           AND (q.due_at IS NULL OR q.due_at > c.now) OFFSET 0))
                    AND NOT EXISTS (SELECT 1 FROM ${t:pause} AS p WHERE p.tenant = h.tenant)
                    AND (h.queued = 0 OR NOT EXISTS (
                        SELECT 1 FROM ${t:open_run} AS q WHERE q.tenant = h.tenant AND q.busy = 0 AND q.name = h.name
                           AND q.rank > c.now + h.behind AND q.rank < %6$d OFFSET 0))
                 END %7$s) AS e),
            kept AS (
              UPDATE ${t:lease} AS l
                 SET plain = 0, queued = l.queued + d.total - CAST(d.starts AS int),
                     reserved_for = CASE WHEN d.starts THEN d.run_id ELSE l.reserved_for END,
                     reserved_since = CASE WHEN d.starts THEN d.now ELSE l.reserved_since END,
                     due_at = CASE WHEN l.lease_id IS NULL THEN l.due_at
                                   ELSE least(l.due_at, l.expires_at + l.lock_delay) END
                FROM d WHERE d.nth = 1 AND l.tenant = ANY (ARRAY[d.tenant]) AND l.name = d.name),
            made AS (
              INSERT INTO ${t:run} (run_id, number, tenant, name, job, place, submitted_at, spec)
              SELECT d.run_id, d.number, d.tenant, d.name, d.job, d.now + d.behind, d.now, d.spec FROM d),
            opened AS (
              INSERT INTO ${t:open_run} (tenant, busy, name, rank, seq, number, run_id, job, place, submitted_at, payload,
                state, claimable, missed, since, status)
              SELECT d.tenant, CAST(d.starts AS int), d.name, CASE WHEN d.starts THEN 0 ELSE d.now + d.behind END,
                     CASE WHEN d.starts THEN 0 ELSE d.number END, d.number, d.run_id, d.job, d.now + d.behind, d.now, d.payload,
                     CASE WHEN d.starts THEN 'PENDING' ELSE 'QUEUED' END, CAST(d.starts AS int), 0, d.now, d.status FROM d),
            noted AS (
              INSERT INTO ${t:audit} (at, tenant, name, run_id, actor, action, state_before, state_after, reason, correlation,
                address)
              SELECT d.now, d.tenant, d.name, d.run_id, d.actor, 'submitted', '',
                     CASE WHEN d.starts THEN 'PENDING' ELSE 'QUEUED' END, 'submitted', d.correlation, d.address
                FROM d %8$s)
            SELECT d.pos, d.number, d.now, CAST(d.starts AS int), d.place FROM d""";

    // A batch tries to lock the row of a key once for each of its requests. If another step lets go of the row between
    // two tries, only the later requests have it: then none of that key is decided here, or the key would not know of
    // the runs.
    private static final String WHOLE = """
            (SELECT g.* FROM (SELECT h.*, count(*) OVER (PARTITION BY h.tenant, h.name) AS requests FROM h) AS g
              WHERE g.requests = g.total) AS h""";

    private final Database database;
    private final KeySteps steps;

    QuickSubmits(Database database, KeySteps steps) {
        this.database = database;
        this.steps = steps;
    }

    /** The answers to requests that a statement could decide; {@code null} for all others. */
    List<@Nullable SubmitAnswer> submit(List<SubmitRequest> requests, Set<LockKey> except) {
        List<@Nullable SubmitAnswer> answers = new ArrayList<>(Collections.nCopies(requests.size(), null));
        Dialect.OneStatement statement = database.dialect().oneStatement();
        if (statement == null) {
            return answers;
        }
        Map<LockKey, List<Integer>> places = simple(requests);
        places.keySet().removeAll(except);
        List<Integer> order = new ArrayList<>();
        Rows asked = new Rows();
        places.values().forEach(of -> {
            for (int nth = 0; nth < of.size(); nth++) {
                order.add(of.get(nth));
                asked.add(values(requests.get(of.get(nth)), nth + 1, of.size()));
            }
        });
        if (asked.isEmpty()) {
            return answers;
        }
        boolean alone = requests.size() == 1;
        String sql = database.dialect()
                .remembered(
                        alone ? "submit alone" : "submit",
                        () -> SUBMIT.formatted(
                                ASKED,
                                alone ? "${lock:l}" : "ORDER BY l.tenant, l.name, k.nth ${skip:l}",
                                statement.now(),
                                statement.sameServer(),
                                statement.nextNumber(),
                                LineRules.RESTING,
                                alone ? "" : "ORDER BY h.tenant, h.name, h.nth",
                                alone ? "" : "ORDER BY d.number",
                                alone ? "h" : WHOLE));
        Set<LockKey> decided = new LinkedHashSet<>();
        Set<String> work = new LinkedHashSet<>();
        database.write(Database.Lane.STEPS, transaction -> {
            // What an earlier attempt may have done is found by the long way.
            if (!transaction.isRepeated()) {
                Trip trip = transaction.trip();
                database.dialect().latchShared(trip);
                Step.makeMissing(trip, database.dialect(), steps.unseen(places.keySet()));
                trip.query(
                        sql,
                        Trip.forEach(row -> {
                            int place = order.get(row.getInt(1) - 1);
                            SubmitRequest request = requests.get(place);
                            answers.set(place, answer(request, row));
                            decided.add(request.key());
                            if (row.getInt(4) == 1) {
                                work.add(request.key().tenant());
                            }
                        }),
                        asked,
                        statement.server(),
                        statement.startedAt());
                transaction.commit(trip);
            }
            return true;
        });
        steps.told(decided, work);
        return answers;
    }

    /** The requests of keys that have only such as the statement can decide, and alike: by key, in their order. */
    private static Map<LockKey, List<Integer>> simple(List<SubmitRequest> requests) {
        Map<LockKey, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            places.computeIfAbsent(requests.get(i).key(), key -> new ArrayList<>(1))
                    .add(i);
        }
        places.values().removeIf(of -> {
            SubmitRequest first = requests.get(of.get(0));
            return !of.stream().map(requests::get).allMatch(QuickSubmits::isSimple)
                    || (of.size() > 1
                            && !of.stream()
                                    .map(requests::get)
                                    .allMatch(request -> queues(request)
                                            && request.spec().priority()
                                                    == first.spec().priority()));
        });
        return places;
    }

    private static boolean isSimple(SubmitRequest request) {
        return request.spec().execution() == Execution.WORKER
                && request.idempotency() == null
                && request.spec().guard() == null
                && request.spec().labels().isEmpty()
                && request.spec().limits().maxWait() == null
                && request.line().queueCap() == Integer.MAX_VALUE
                && request.line().tenantMaxRunning() == Integer.MAX_VALUE;
    }

    private static boolean queues(SubmitRequest request) {
        return request.spec().policy() == ConflictPolicy.QUEUE;
    }

    private static @Nullable Object[] values(SubmitRequest request, int nth, int total) {
        Origin origin = request.spec().origin();
        return new @Nullable Object[] {
            request.key().tenant(),
            request.key().name(),
            nth,
            total,
            queues(request) ? 1 : 0,
            request.id().toString(),
            request.spec().job().value(),
            // So much behind one of priority 0.
            QueueRules.place(Instant.EPOCH, request.spec().priority()),
            new SpecText(request.spec(), request.line()).write(),
            OpenRuns.payload(request.spec()),
            StatusText.write(request.id(), RunStatus.queued(Instant.EPOCH, null)),
            Texts.shown(origin.submitter()),
            Texts.shownOrNull(origin.correlation()),
            Texts.shownOrNull(origin.address())
        };
    }

    private static SubmitAnswer answer(SubmitRequest request, ResultSet row) throws SQLException {
        Instant now = Micros.moment(row.getLong(3));
        boolean starts = row.getInt(4) == 1;
        RunStatus queued = RunStatus.queued(now, null);
        Run run = new Run(
                request.id(),
                request.key(),
                row.getLong(2),
                now,
                request.spec(),
                request.line(),
                starts ? queued.moved(RunState.PENDING, now) : queued);
        return starts ? new SubmitAnswer.Started(run, null) : new SubmitAnswer.Queued(run, row.getInt(5));
    }
}
