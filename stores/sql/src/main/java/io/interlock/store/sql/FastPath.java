package io.interlock.store.sql;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Bare leases of plain keys in one statement: it looks at nothing but the key's own row. Requests it cannot answer take the
 * long way. Safe for use by many threads.
 */
public interface FastPath {

    /** For databases that have none. */
    FastPath NONE = new FastPath() {};

    @FunctionalInterface
    interface LongWay<Q, A> {

        /**
         * Answers all of them.
         *
         * @param alone whether there was one request to begin with, which waits for its key; one of many is left open
         */
        Answers<A> answer(List<Q> requests, boolean alone);
    }

    /** Grants what is free, and refuses what is held. */
    default Answers<AcquireAnswer> acquire(
            List<AcquireRequest> requests, LongWay<AcquireRequest, AcquireAnswer> longWay) {
        return longWay.answer(requests, requests.size() == 1);
    }

    /** Extends leases that are still live. */
    default Answers<RenewAnswer> renew(List<RenewRequest> requests, LongWay<RenewRequest, RenewAnswer> longWay) {
        return longWay.answer(requests, requests.size() == 1);
    }

    /** Frees keys, and wakes the callers that wait for them. */
    default Answers<ReleaseAnswer> release(
            List<ReleaseRequest> requests, LongWay<ReleaseRequest, ReleaseAnswer> longWay) {
        return longWay.answer(requests, requests.size() == 1);
    }

    /** The answers to all requests: those that have none yet are answered together by {@code late}. */
    static <Q, A> Answers<A> complete(List<Q> requests, List<@Nullable A> answers, Function<List<Q>, Answers<A>> late) {
        List<Integer> open = IntStream.range(0, requests.size())
                .filter(place -> answers.get(place) == null)
                .boxed()
                .toList();
        return complete(requests, answers, open, late);
    }

    /** The answers to all requests: those at {@code places} are answered together by {@code late}, the others already are. */
    static <Q, A> Answers<A> complete(
            List<Q> requests, List<@Nullable A> answers, List<Integer> places, Function<List<Q>, Answers<A>> late) {
        if (!places.isEmpty()) {
            Answers<A> rest = late.apply(places.stream().map(requests::get).toList());
            for (int i = 0; i < places.size(); i++) {
                answers.set(places.get(i), rest.isOpen(i) ? null : rest.get(i));
            }
        }
        return Answers.partly(answers);
    }

    /** The lease that a request for one key was given. Times are {@link Micros}. */
    static LeaseRecord granted(AcquireRequest request, long token, long grantedAt, long expiresAt) {
        return new LeaseRecord(
                request.keys().get(0),
                request.id(),
                request.holder(),
                new FencingToken(token),
                Micros.moment(grantedAt),
                Micros.moment(expiresAt),
                Micros.moment(grantedAt),
                null);
    }

    /** A lease whose columns (instance, label, run_id, token, granted_at, expires_at) begin with number {@code from}. */
    static LeaseRecord lease(
            LockKey key, LeaseId id, ResultSet row, int from, long now, LeaseRecord.@Nullable Eviction eviction)
            throws SQLException {
        String run = row.getString(from + 2);
        return new LeaseRecord(
                key,
                id,
                new Holder(row.getString(from), row.getString(from + 1), run == null ? null : RunId.parse(run)),
                new FencingToken(row.getLong(from + 3)),
                Micros.moment(row.getLong(from + 4)),
                Micros.moment(row.getLong(from + 5)),
                Micros.moment(now),
                eviction);
    }
}
