package io.interlock.store.sqlite;

import io.interlock.Holder;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.TokenLayout;
import io.interlock.store.sql.Database;
import io.interlock.store.sql.FastPath;
import io.interlock.store.sql.Micros;
import io.interlock.store.sql.SqlStore;
import io.interlock.store.sql.Transaction;
import io.interlock.store.sql.Trip;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Grants and frees bare leases of plain keys with one statement each, many of them in one transaction. The transaction is the
 * only writer, and reads the clock after it became that. Keys that a look does not find free take the long way, so a refusal
 * only reads. Safe for use by many threads.
 */
final class SqliteFastPath implements FastPath {

    /** How many requests one transaction takes at most, because it keeps all others out. */
    private static final int MOST_AT_ONCE = 100;

    private static final String ACQUIRE = """
            UPDATE ${t:lease} SET lease_id = ?, instance = ?, label = ?, run_id = ?, lock_delay = ?, granted_at = ?,
                   expires_at = ?, used_at = ?, token = max(token + 1, (token >> %1$d << %1$d) | ?)
             WHERE tenant = ? AND name = ? AND plain = 1 AND lease_id IS NULL
            RETURNING token""".formatted(TokenLayout.LOW_BITS);
    private static final String RELEASE = """
            UPDATE ${t:lease} SET lease_id = NULL, used_at = ?
             WHERE tenant = ? AND name = ? AND lease_id = ? AND token = ? AND plain = 1
            RETURNING instance, label, run_id, token, granted_at, expires_at""";

    private static final String IS_FREE =
            "SELECT 1 FROM ${t:lease} WHERE tenant = ? AND name = ? AND plain = 1 AND lease_id IS NULL";

    private final Database database;
    private final SqliteDialect dialect;
    private final SqlStore.Feed feed;

    SqliteFastPath(Database database, SqliteDialect dialect, SqlStore.Feed feed) {
        this.database = database;
        this.dialect = dialect;
        this.feed = feed;
    }

    /** Answers a request at a moment, or leaves it to the long way by {@code null}. */
    @FunctionalInterface
    private interface Quick<Q, A> {
        @Nullable
        A answer(Transaction transaction, long now, Q request) throws SQLException;
    }

    @Override
    public Answers<AcquireAnswer> acquire(
            List<AcquireRequest> requests, LongWay<AcquireRequest, AcquireAnswer> longWay) {
        // One that comes after another one for the same key sees what that one did.
        Set<LockKey> asked = new HashSet<>();
        List<Boolean> free = database.read(transaction -> {
            List<Boolean> found = new ArrayList<>();
            for (AcquireRequest request : requests) {
                LockKey key = request.keys().get(0);
                found.add(request.keys().size() == 1
                        && !request.takeover().ask()
                        && asked.add(key)
                        && transaction.query(IS_FREE, ResultSet::next, key.tenant(), key.name()));
            }
            return found;
        });
        return answer(Database.Lane.STEPS, requests, free, SqliteFastPath::acquire, longWay);
    }

    private static @Nullable AcquireAnswer acquire(Transaction transaction, long now, AcquireRequest request)
            throws SQLException {
        LockKey key = request.keys().get(0);
        Holder holder = request.holder();
        long end = now + Micros.of(request.terms().ttl());
        long token = transaction.query(
                ACQUIRE,
                Trip.NUMBER,
                request.id().toString(),
                holder.instance(),
                holder.label(),
                holder.run() == null ? null : holder.run().toString(),
                Micros.of(request.terms().lockDelay()),
                now,
                end,
                now,
                now / 1000 - TokenLayout.ORIGIN_MILLIS,
                key.tenant(),
                key.name());
        if (token == 0) {
            return null;
        }
        LeaseRecord lease = FastPath.granted(request, token, now, end);
        return new AcquireAnswer.Granted(List.of(new AcquireAnswer.Grant(lease, null)));
    }

    @Override
    public Answers<ReleaseAnswer> release(
            List<ReleaseRequest> requests, LongWay<ReleaseRequest, ReleaseAnswer> longWay) {
        List<LockKey> freed = new ArrayList<>();
        Answers<ReleaseAnswer> answers = answer(
                Database.Lane.URGENT,
                requests,
                Collections.nCopies(requests.size(), true),
                (transaction, now, request) -> {
                    ReleaseAnswer answer = release(transaction, now, request);
                    if (answer != null) {
                        freed.add(request.key());
                    }
                    return answer;
                },
                longWay);
        if (!freed.isEmpty()) {
            feed.keysChanged(freed);
        }
        return answers;
    }

    private static @Nullable ReleaseAnswer release(Transaction transaction, long now, ReleaseRequest request)
            throws SQLException {
        Optional<LeaseRecord> ended = transaction.query(
                RELEASE,
                Trip.first(row -> FastPath.lease(request.key(), request.id(), row, 1, now, null)),
                now,
                request.key().tenant(),
                request.key().name(),
                request.id().toString(),
                request.token().value());
        return ended.map(ReleaseAnswer::of).orElse(null);
    }

    // What the statements do not answer takes the long way, all of it together.
    private <Q, A> Answers<A> answer(
            Database.Lane lane, List<Q> requests, List<Boolean> tried, Quick<Q, A> quick, LongWay<Q, A> longWay) {
        List<@Nullable A> answers = new ArrayList<>();
        while (answers.size() < requests.size()) {
            int from = answers.size();
            answers.addAll(
                    tried.subList(from, requests.size()).contains(true)
                            ? database.write(lane, transaction -> some(transaction, requests, tried, from, quick))
                            : Collections.nCopies(requests.size() - from, null));
        }
        return FastPath.complete(requests, answers, late -> longWay.answer(late, requests.size() == 1));
    }

    /** The answers to some requests, from one on: as many as one transaction takes. */
    private <Q, A> List<@Nullable A> some(
            Transaction transaction, List<Q> requests, List<Boolean> tried, int from, Quick<Q, A> quick)
            throws SQLException {
        long now = transaction.query(
                "SELECT " + dialect.storeColumns() + " FROM ${t:store} AS s",
                rows -> rows.next() ? dialect.readStore(rows).now() : 0L);
        List<@Nullable A> answers = new ArrayList<>();
        boolean changed = false;
        for (int i = from; i < requests.size() && answers.size() < MOST_AT_ONCE; i++) {
            if (changed && transaction.isLong()) {
                break;
            }
            A answer = tried.get(i) ? quick.answer(transaction, now, requests.get(i)) : null;
            changed |= answer != null;
            answers.add(answer);
        }
        if (changed) {
            transaction.commit();
        }
        return answers;
    }
}
