package io.interlock.store.postgres;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.TokenLayout;
import io.interlock.store.sql.Database;
import io.interlock.store.sql.FastPath;
import io.interlock.store.sql.Micros;
import io.interlock.store.sql.Rows;
import io.interlock.store.sql.ServerDialect;
import io.interlock.store.sql.Transaction;
import io.interlock.store.sql.Trip;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Bare leases of plain keys, in one statement and one round trip each. A statement reads nothing but the rows it changes,
 * which the database looks at again after a wait; a batch leaves out rows that others have locked, and never waits. A refusal
 * reads the row as it is, without lock and without transaction number.
 */
final class PostgresFastPath implements FastPath {

    private static final String NOW = PostgresDialect.now(PostgresDialect.CLOCK);
    private static final String SAME_SERVER = PostgresDialect.SAME_SERVER;
    // Whatever the session's defaults are: what is granted is there for good, and a row is not waited for too long.
    private static final String DURABLE = PostgresDialect.BY_INDEX + ", set_config('synchronous_commit', 'on', true)";
    // A waiter that a crash of the server forgets looks again by itself.
    private static final String SOON = PostgresDialect.BY_INDEX
            + ", set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1000', true)";
    private static final String PATIENT =
            "(SELECT set_config('synchronous_commit', 'on', true), set_config('lock_timeout', ?, true)) AS c";
    private static final String SEEN = """
            l.lease_id, l.instance, l.label, l.run_id, l.token, l.granted_at, l.expires_at, l.evicted_by, l.evicted_why,
            l.evicted_at, l.waiters, greatest(s.quiet_until, 0), l.plain""";
    // The queue of waiting clients is a text: the one woken last, then each waiting one behind a comma. Its first entry
    // goes.
    private static final String NEXT_WAITER = "substr(l.waiters, strpos(l.waiters || ',', ',') + 1)";

    // All clients are woken once for this mark, and set it again if they have to wait on. A statement returns only
    // what it wrote, so it leaves the mark behind with its sign changed.
    private static final String NO_WAITERS = "-greatest(l.waiters_until, 0)";

    // The clock of a batch, read once all its rows are locked.
    private static final String LOCKED_AT = """
            c AS MATERIALIZED (
              SELECT %s AS now
                FROM (SELECT count(*) AS locked FROM held) AS w CROSS JOIN ${t:store} AS s WHERE w.locked > 0)""".formatted(NOW);

    private static final String ACQUIRE = """
            WITH taken AS (
              UPDATE ${t:lease} AS l
                 SET lease_id = CAST(? AS uuid), instance = ?, label = ?, run_id = CAST(? AS uuid), lock_delay = ?,
                     granted_at = %1$s, expires_at = %1$s + ?, used_at = %1$s, token = %2$s,
                     waiters = replace(l.waiters, ?, '')
                FROM ${t:store} AS s CROSS JOIN %5$s
               WHERE l.tenant = ? AND l.name = ? AND l.plain = 1 AND l.lease_id IS NULL AND %3$s
              RETURNING %1$s AS now, l.token, l.granted_at, l.expires_at)
            SELECT 1, t.now, NULL, NULL, NULL, NULL, t.token, t.granted_at, t.expires_at, NULL, NULL, NULL, NULL, NULL,
                   NULL
              FROM taken AS t
            UNION ALL
            SELECT 0, %1$s, %4$s FROM ${t:lease} AS l CROSS JOIN ${t:store} AS s
             WHERE l.tenant = ? AND l.name = ? AND NOT EXISTS (SELECT 1 FROM taken)
            """.formatted(NOW, token(NOW), SAME_SERVER, SEEN, PATIENT);

    // The statement that granted may have read the clock before it waited for the row.
    private static final String GRANT_ANEW = """
            UPDATE ${t:lease} AS l SET granted_at = %1$s, expires_at = %1$s + ?, used_at = %1$s
              FROM ${t:store} AS s CROSS JOIN %3$s
             WHERE l.tenant = ? AND l.name = ? AND l.lease_id = CAST(? AS uuid) AND l.token = ? AND l.plain = 1 AND %2$s
            RETURNING %1$s, l.granted_at, l.expires_at
            """.formatted(NOW, SAME_SERVER, PATIENT);

    // A row that is locked stays where it is, so a batch finds it there again. One that was changed since the statement
    // began is not found, like one that another step has locked.
    // NOT IN is a look into a hash table; NOT EXISTS would compare each request with each grant.
    private static final String ACQUIRE_MANY = """
            WITH k AS MATERIALIZED (
              SELECT * FROM ${rows:r(tenant text, name text, lease_id uuid, instance text, label text, run_id uuid,
                lock_delay bigint, ttl bigint)}),
            held AS MATERIALIZED (
              SELECT l.ctid AS place, k.pos, k.lease_id AS new_id, k.instance AS new_instance, k.label AS new_label,
                     k.run_id AS new_run_id, k.lock_delay, k.ttl, l.lease_id, l.instance, l.label, l.run_id, l.token,
                     l.granted_at, l.expires_at
                FROM k JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name CROSS JOIN ${t:store} AS s
               WHERE l.plain = 1 AND (l.lease_id IS NULL OR l.expires_at + l.lock_delay <= %1$s) AND %3$s
               ORDER BY l.tenant, l.name FOR NO KEY UPDATE OF l SKIP LOCKED),
            %5$s,
            taken AS (
              UPDATE ${t:lease} AS l
                 SET lease_id = h.new_id, instance = h.new_instance, label = h.new_label, run_id = h.new_run_id,
                     lock_delay = h.lock_delay, granted_at = c.now, expires_at = c.now + h.ttl, used_at = c.now, token = %2$s,
                     waiters = replace(l.waiters, ?, '')
                FROM held AS h CROSS JOIN c
               WHERE l.ctid = h.place
              RETURNING h.pos, c.now, h.lease_id, h.instance, h.label, h.run_id, h.token, h.granted_at, h.expires_at,
                        l.token AS new_token, l.granted_at AS new_granted_at, l.expires_at AS new_expires_at)
            SELECT t.pos, 1, t.now, t.lease_id, t.instance, t.label, t.run_id, t.token, t.granted_at, t.expires_at,
                   NULL, NULL, NULL, NULL, NULL, NULL, t.new_token, t.new_granted_at, t.new_expires_at
              FROM taken AS t
            UNION ALL
            SELECT k.pos, 0, %1$s, %4$s, NULL, NULL, NULL
              FROM k JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name CROSS JOIN ${t:store} AS s
             WHERE k.pos NOT IN (SELECT t.pos FROM taken AS t)
            """.formatted(NOW, token("c.now"), SAME_SERVER, SEEN, LOCKED_AT);

    private static final String RENEW = """
            WITH k AS MATERIALIZED (
              SELECT * FROM ${rows:r(tenant text, name text, lease_id uuid, token bigint, ttl bigint)}),
            held AS MATERIALIZED (
              SELECT l.ctid AS place, k.pos, k.ttl
                FROM k JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name CROSS JOIN ${t:store} AS s
               WHERE l.lease_id = k.lease_id AND l.token = k.token AND l.plain = 1 AND l.expires_at > %1$s AND %2$s
               ORDER BY l.tenant, l.name FOR NO KEY UPDATE OF l SKIP LOCKED),
            %3$s
            UPDATE ${t:lease} AS l SET expires_at = c.now + h.ttl, used_at = c.now
              FROM held AS h CROSS JOIN c
             WHERE l.ctid = h.place
            RETURNING h.pos, c.now, l.lease_id, l.instance, l.label, l.run_id, l.token, l.granted_at, l.expires_at
            """.formatted(NOW, SAME_SERVER, LOCKED_AT);

    private static final String RELEASE = """
            UPDATE ${t:lease} AS l SET lease_id = NULL, used_at = %1$s, waiters = %4$s, waiters_until = %5$s
              FROM ${t:store} AS s CROSS JOIN %3$s
             WHERE l.tenant = ? AND l.name = ? AND l.lease_id = CAST(? AS uuid) AND l.token = ? AND l.plain = 1 AND %2$s
            RETURNING 1, %1$s, CAST(NULL AS uuid), l.instance, l.label, l.run_id, l.token, l.granted_at, l.expires_at,
                      l.waiters_until, l.waiters
            """.formatted(NOW, SAME_SERVER, PATIENT, NEXT_WAITER, NO_WAITERS);

    private static final String RELEASE_MANY = """
            WITH k AS MATERIALIZED (SELECT * FROM ${rows:r(tenant text, name text, lease_id uuid, token bigint)}),
            held AS MATERIALIZED (
              SELECT l.ctid AS place, k.pos
                FROM k JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name CROSS JOIN ${t:store} AS s
               WHERE l.lease_id = k.lease_id AND l.token = k.token AND l.plain = 1 AND %2$s
               ORDER BY l.tenant, l.name FOR NO KEY UPDATE OF l SKIP LOCKED),
            %1$s
            UPDATE ${t:lease} AS l SET lease_id = NULL, used_at = c.now, waiters = %3$s, waiters_until = %4$s
              FROM held AS h CROSS JOIN c
             WHERE l.ctid = h.place
            RETURNING h.pos, c.now, CAST(NULL AS uuid), l.instance, l.label, l.run_id, l.token, l.granted_at, l.expires_at,
                      l.waiters_until, l.waiters
            """.formatted(LOCKED_AT, SAME_SERVER, NEXT_WAITER, NO_WAITERS);

    private static final String ENQUEUE_ONE = enqueue("FOR NO KEY UPDATE OF l");
    private static final String ENQUEUE_MANY = enqueue("FOR NO KEY UPDATE OF l SKIP LOCKED");

    /** A grant whose statement waited for longer than this began too early, and is made anew. */
    private static final long LONGEST_WAIT_MICROS = 50_000;

    private static final int MOST_GRANTS_ANEW = 3;

    /** How often a request that is alone tries its statement before it takes the long way. */
    private static final int MOST_LOOKS = 8;

    /** How long the queue of waiting clients may become, in characters; for those beyond, a release wakes all. */
    private static final int LONGEST_QUEUE = 900;

    private final Database database;
    private final PostgresDialect dialect;
    private final PostgresFeed feed;
    /** This client as an entry of a queue. */
    private final String waiter;

    PostgresFastPath(Database database, PostgresDialect dialect, PostgresFeed feed) {
        this.database = database;
        this.dialect = dialect;
        this.feed = feed;
        this.waiter = "," + feed.client();
    }

    /** A row as a statement found or left it. */
    private record Found(
            boolean granted,
            long now,
            @Nullable LeaseRecord lease,
            @Nullable LeaseRecord grant,
            String waiters,
            long quietUntil,
            boolean plain) {

        /** Whether the lease was granted so long ago that its holder would have too little of it. */
        boolean isLate() {
            return granted && grant != null && now - Micros.of(grant.grantedAt()) > LONGEST_WAIT_MICROS;
        }
    }

    @Override
    public Answers<AcquireAnswer> acquire(
            List<AcquireRequest> requests, LongWay<AcquireRequest, AcquireAnswer> longWay) {
        Map<LockKey, AcquireRequest> first = new LinkedHashMap<>();
        for (AcquireRequest request : requests) {
            if (request.keys().size() == 1 && !request.takeover().ask()) {
                first.putIfAbsent(request.keys().get(0), request);
            }
        }
        Map<LockKey, Found> found = new HashMap<>();
        List<AcquireRequest> asked = List.copyOf(first.values());
        if (asked.size() == 1) {
            AcquireRequest request = asked.get(0);
            // The long way would have every release wake all clients, so a key that changed hands meanwhile is looked
            // at again.
            for (int i = 0; i < MOST_LOOKS && (i == 0 || changedMeanwhile(request, found)); i++) {
                found.clear();
                acquireOne(request, found);
                enqueue(asked, found);
            }
            grantAnew(request, found);
        } else if (!asked.isEmpty()) {
            acquireMany(asked, found);
            enqueue(asked, found);
        }
        List<@Nullable AcquireAnswer> answers = new ArrayList<>();
        List<Integer> late = new ArrayList<>();
        for (AcquireRequest request : requests) {
            Answer answer = answer(request, first, found, requests.size() > 1);
            if (answer == null) {
                late.add(answers.size());
            }
            answers.add(answer == null ? null : answer.value());
        }
        return FastPath.complete(requests, answers, late, rest -> longWay.answer(rest, requests.size() == 1));
    }

    /** An answer, or the word that the request is left open. */
    private record Answer(@Nullable AcquireAnswer value) {}

    /** Whether the key was taken or freed between the moment the statement began and the moment it had the row. */
    private boolean changedMeanwhile(AcquireRequest request, Map<LockKey, Found> all) {
        Found found = all.get(request.keys().get(0));
        if (found == null || found.granted() || !found.plain()) {
            return false;
        }
        return found.lease() == null
                || (request.waits()
                        && isHeldByOther(found, request)
                        && !found.waiters().contains(waiter)
                        && found.waiters().length() < LONGEST_QUEUE);
    }

    /** What the statement says to a request, or {@code null} if it takes the long way. */
    private @Nullable Answer answer(
            AcquireRequest request, Map<LockKey, AcquireRequest> first, Map<LockKey, Found> all, boolean many) {
        LockKey key = request.keys().get(0);
        Found found = all.get(key);
        if (request.keys().size() > 1 || request.takeover().ask() || found == null) {
            return null;
        }
        LeaseRecord grant = found.grant();
        boolean mine = request.equals(first.get(key));
        if (grant != null && found.granted()) {
            if (mine || grant.id().equals(request.id())) {
                return new Answer(new AcquireAnswer.Granted(List.of(new AcquireAnswer.Grant(grant, found.lease()))));
            }
            return request.waits() ? null : new Answer(new AcquireAnswer.Refused(new Refusal.Held(grant)));
        }
        LeaseRecord lease = found.lease();
        if (lease == null) {
            // Free, and yet not granted: another step has the row, or more than the row has to be looked at.
            return many ? new Answer(null) : null;
        }
        if (lease.isExpired() || found.quietUntil() > found.now()) {
            return null;
        }
        if (lease.id().equals(request.id())) {
            return lease.isLive()
                    ? new Answer(new AcquireAnswer.Granted(List.of(new AcquireAnswer.Grant(lease, null))))
                    : null;
        }
        if (request.waits() && !found.waiters().contains(waiter)) {
            // It is refused once its client is in the queue; the long way would have every release wake all clients.
            return many ? new Answer(null) : null;
        }
        return new Answer(new AcquireAnswer.Refused(new Refusal.Held(lease)));
    }

    private static String token(String now) {
        return "greatest(l.token + 1, (l.token >> " + TokenLayout.LOW_BITS + " << " + TokenLayout.LOW_BITS + ") | ("
                + now + " / 1000 - " + TokenLayout.ORIGIN_MILLIS + "))";
    }

    private static String enqueue(String lock) {
        return """
            WITH k AS MATERIALIZED (SELECT * FROM ${rows:r(tenant text, name text)}),
            held AS MATERIALIZED (
              SELECT l.tenant, l.name, k.pos
                FROM k JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name CROSS JOIN ${t:store} AS s
               WHERE l.plain = 1 AND l.expires_at > %1$s AND l.lease_id IS NOT NULL AND strpos(l.waiters, ?) = 0
                 AND length(l.waiters) < ? AND %2$s
               ORDER BY l.tenant, l.name %4$s)
            UPDATE ${t:lease} AS l SET waiters = l.waiters || ?
              FROM held AS h CROSS JOIN ${t:store} AS s
             WHERE l.tenant = ANY (ARRAY[h.tenant]) AND l.name = h.name
            RETURNING h.pos, %1$s, %3$s
            """.formatted(NOW, SAME_SERVER, SEEN, lock);
    }

    /** Puts this client into the queues of held keys that callers wait for. */
    private void enqueue(List<AcquireRequest> requests, Map<LockKey, Found> found) {
        List<LockKey> keys = new ArrayList<>();
        Rows asked = new Rows();
        for (AcquireRequest request : requests) {
            LockKey key = request.keys().get(0);
            Found seen = found.get(key);
            if (request.waits()
                    && seen != null
                    && isHeldByOther(seen, request)
                    && !seen.waiters().contains(waiter)) {
                keys.add(key);
                asked.add(key.tenant(), key.name());
            }
        }
        if (keys.isEmpty()) {
            return;
        }
        ServerDialect.Server server = dialect.server();
        database.write(
                Database.Lane.STEPS,
                transaction -> together(
                        transaction,
                        SOON,
                        requests.size() == 1 ? ENQUEUE_ONE : ENQUEUE_MANY,
                        Trip.forEach(rows -> {
                            LockKey key = keys.get(rows.getInt(1) - 1);
                            found.put(key, seen(key, rows, rows.getLong(2), 3));
                        }),
                        asked,
                        waiter,
                        LONGEST_QUEUE,
                        server.identity(),
                        server.startedAt(),
                        waiter));
    }

    private static boolean isHeldByOther(Found found, AcquireRequest request) {
        LeaseRecord lease = found.lease();
        return lease != null
                && !found.granted()
                && !lease.isExpired()
                && !lease.id().equals(request.id());
    }

    private static Found seen(LockKey key, ResultSet row, long now, int from) throws SQLException {
        return new Found(
                false,
                now,
                lease(key, row, from, now),
                null,
                row.getString(from + 10),
                row.getLong(from + 11),
                row.getInt(from + 12) == 1);
    }

    private void acquireOne(AcquireRequest request, Map<LockKey, Found> found) {
        LockKey key = request.keys().get(0);
        Holder holder = request.holder();
        ServerDialect.Server server = dialect.server();
        database.once(
                Database.Lane.STEPS,
                transaction -> transaction.query(
                        ACQUIRE,
                        Trip.forEach(row -> found.put(key, found(request, row, 1, 7))),
                        request.id().toString(),
                        holder.instance(),
                        holder.label(),
                        holder.run() == null ? null : holder.run().toString(),
                        Micros.of(request.terms().lockDelay()),
                        Micros.of(request.terms().ttl()),
                        waiter,
                        Integer.toString(transaction.patienceMillis()),
                        key.tenant(),
                        key.name(),
                        server.identity(),
                        server.startedAt(),
                        key.tenant(),
                        key.name()));
    }

    /** Lets a lease begin now whose statement waited; if it waits again and again, the lease is a little short. */
    private void grantAnew(AcquireRequest request, Map<LockKey, Found> all) {
        LockKey key = request.keys().get(0);
        ServerDialect.Server server = dialect.server();
        Found found = all.get(key);
        for (int i = 0; found != null && found.isLate() && i < MOST_GRANTS_ANEW; i++) {
            Found late = found;
            long token = Objects.requireNonNull(late.grant()).token().value();
            found = database.once(
                    Database.Lane.STEPS,
                    transaction -> transaction.query(
                            GRANT_ANEW,
                            rows -> {
                                if (!rows.next()) {
                                    return late;
                                }
                                LeaseRecord anew = FastPath.granted(request, token, rows.getLong(2), rows.getLong(3));
                                return new Found(true, rows.getLong(1), null, anew, "", 0, true);
                            },
                            Micros.of(request.terms().ttl()),
                            Integer.toString(transaction.patienceMillis()),
                            key.tenant(),
                            key.name(),
                            request.id().toString(),
                            token,
                            server.identity(),
                            server.startedAt()));
            all.put(key, found);
        }
    }

    private void acquireMany(List<AcquireRequest> requests, Map<LockKey, Found> found) {
        Rows asked = new Rows();
        for (AcquireRequest request : requests) {
            LockKey key = request.keys().get(0);
            Holder holder = request.holder();
            asked.add(
                    key.tenant(),
                    key.name(),
                    request.id().toString(),
                    holder.instance(),
                    holder.label(),
                    holder.run() == null ? null : holder.run().toString(),
                    Micros.of(request.terms().lockDelay()),
                    Micros.of(request.terms().ttl()));
        }
        ServerDialect.Server server = dialect.server();
        database.write(
                Database.Lane.STEPS,
                transaction -> together(
                        transaction,
                        DURABLE,
                        ACQUIRE_MANY,
                        Trip.forEach(rows -> {
                            AcquireRequest request = requests.get(rows.getInt(1) - 1);
                            found.put(request.keys().get(0), found(request, rows, 2, 17));
                        }),
                        asked,
                        server.identity(),
                        server.startedAt(),
                        waiter));
    }

    /** Whether it was granted, when, and the row before, from column {@code from} on; the grant from column {@code grant} on. */
    private static Found found(AcquireRequest request, ResultSet row, int from, int grant) throws SQLException {
        LockKey key = request.keys().get(0);
        long now = row.getLong(from + 1);
        if (row.getInt(from) == 0) {
            return seen(key, row, now, from + 2);
        }
        LeaseRecord given =
                FastPath.granted(request, row.getLong(grant), row.getLong(grant + 1), row.getLong(grant + 2));
        return new Found(true, now, lease(key, row, from + 2, now), given, "", 0, true);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests, LongWay<RenewRequest, RenewAnswer> longWay) {
        if (requests.isEmpty()) {
            return Answers.of(List.of());
        }
        List<Integer> first = firstOfEachKey(requests, RenewRequest::key);
        Rows asked = new Rows();
        first.stream()
                .map(requests::get)
                .forEach(request -> asked.add(
                        request.key().tenant(),
                        request.key().name(),
                        request.id().toString(),
                        request.token().value(),
                        Micros.of(request.ttl())));
        ServerDialect.Server server = dialect.server();
        List<@Nullable RenewAnswer> renewed = new ArrayList<>(Collections.nCopies(requests.size(), null));
        database.write(
                Database.Lane.URGENT,
                transaction -> together(
                        transaction,
                        DURABLE,
                        RENEW,
                        Trip.forEach(rows -> {
                            int place = first.get(rows.getInt(1) - 1);
                            RenewRequest request = requests.get(place);
                            LeaseRecord lease =
                                    FastPath.lease(request.key(), request.id(), rows, 4, rows.getLong(2), null);
                            renewed.set(place, new RenewAnswer.Renewed(lease));
                        }),
                        asked,
                        server.identity(),
                        server.startedAt()));
        return FastPath.complete(requests, renewed, rest -> longWay.answer(rest, requests.size() == 1));
    }

    @Override
    public Answers<ReleaseAnswer> release(
            List<ReleaseRequest> requests, LongWay<ReleaseRequest, ReleaseAnswer> longWay) {
        if (requests.isEmpty()) {
            return Answers.of(List.of());
        }
        List<Integer> first = firstOfEachKey(requests, ReleaseRequest::key);
        List<@Nullable ReleaseAnswer> released = new ArrayList<>(Collections.nCopies(requests.size(), null));
        Map<ReleaseRequest, String> wanted = new LinkedHashMap<>();
        Database.Work<Boolean> work = transaction -> {
            Collections.fill(released, null);
            wanted.clear();
            send(transaction, first.stream().map(requests::get).toList(), Trip.forEach(rows -> {
                int place = first.get(rows.getInt(1) - 1);
                ReleaseRequest request = requests.get(place);
                LeaseRecord lease = FastPath.lease(request.key(), request.id(), rows, 4, rows.getLong(2), null);
                released.set(place, ReleaseAnswer.of(lease));
                boolean byAll = -rows.getLong(10) > rows.getLong(2);
                String waiters = rows.getString(11);
                if (byAll || !waiters.isEmpty()) {
                    wanted.put(request, byAll ? "" : waiters);
                }
            }));
            return !transaction.mayHaveBeenDone();
        };
        boolean clear = first.size() == 1
                ? database.once(Database.Lane.URGENT, work)
                : database.write(Database.Lane.URGENT, work);
        if (!clear && first.stream().anyMatch(place -> released.get(place) == null)) {
            // Gone because of our own first attempt, or gone before? "Your lease was lost" must not be a guess. Whether
            // callers wait was seen by that attempt alone.
            feed.keysChanged(requests.stream().map(ReleaseRequest::key).toList());
            throw new StoreUnavailableException(
                    database.store(),
                    "lost the connection during a release; whether the lease had ended before is not known");
        }
        wanted.forEach(this::wake);
        return FastPath.complete(requests, released, rest -> longWay.answer(rest, requests.size() == 1));
    }

    private void wake(ReleaseRequest released, String waiters) {
        if (waiters.isEmpty()) {
            feed.keysChanged(List.of(released.key()));
        } else {
            int end = waiters.indexOf(',');
            String next = end < 0 ? waiters : waiters.substring(0, end);
            feed.handOver(released.key(), released.token(), next, end >= 0);
        }
    }

    // A statement changes a row once.
    private static <Q> List<Integer> firstOfEachKey(List<Q> requests, Function<Q, LockKey> key) {
        Map<LockKey, Integer> places = new LinkedHashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            places.putIfAbsent(key.apply(requests.get(i)), i);
        }
        return List.copyOf(places.values());
    }

    private void send(Transaction transaction, List<ReleaseRequest> requests, Trip.Reader<Boolean> reader)
            throws SQLException {
        ServerDialect.Server server = dialect.server();
        if (requests.size() == 1) {
            ReleaseRequest request = requests.get(0);
            transaction.query(
                    RELEASE,
                    reader,
                    Integer.toString(transaction.patienceMillis()),
                    request.key().tenant(),
                    request.key().name(),
                    request.id().toString(),
                    request.token().value(),
                    server.identity(),
                    server.startedAt());
            return;
        }
        Rows asked = new Rows();
        requests.forEach(request -> asked.add(
                request.key().tenant(),
                request.key().name(),
                request.id().toString(),
                request.token().value()));
        together(transaction, DURABLE, RELEASE_MANY, reader, asked, server.identity(), server.startedAt());
    }

    /**
     * A transaction of one trip. PostgreSQL would plan a statement about many rows anew each time, which takes longer than to
     * follow the plan; it keeps one only if a statement before it says so, within a transaction.
     */
    private static boolean together(
            Transaction transaction,
            String settings,
            String sql,
            Trip.Reader<Boolean> reader,
            @Nullable Object... values)
            throws SQLException {
        Trip trip = transaction.trip();
        trip.query(settings, ResultSet::next);
        trip.query(sql, reader, values);
        transaction.commit(trip);
        return true;
    }

    private static @Nullable LeaseRecord lease(LockKey key, ResultSet row, int from, long now) throws SQLException {
        String id = row.getString(from);
        if (id == null) {
            return null;
        }
        String actor = row.getString(from + 7);
        LeaseRecord.Eviction eviction = actor == null
                ? null
                : new LeaseRecord.Eviction(actor, row.getString(from + 8), Micros.moment(row.getLong(from + 9)));
        return FastPath.lease(key, LeaseId.parse(id), row, from + 1, now, eviction);
    }
}
