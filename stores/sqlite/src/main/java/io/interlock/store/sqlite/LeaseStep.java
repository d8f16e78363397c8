package io.interlock.store.sqlite;

import io.interlock.EvictAnswer;
import io.interlock.Eviction;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.TokenLayout;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is done in one transaction, at one moment of the store's clock: the one at which the transaction began to be alone.
 * Requests see what earlier ones of the same transaction changed. {@link #finish()} comes last.
 */
final class LeaseStep {

    private final LeaseTable leases;
    private final StoreTable store;
    private final Instant tokenTime;
    private final long now;
    private StoreState state;
    private boolean wrote;

    /** Begins a step in the transaction that {@code session} is in. */
    LeaseStep(Session session, StoreClock clock) throws SQLException {
        leases = new LeaseTable(session);
        store = new StoreTable(session);
        state = clock.now(store.read());
        now = state.moment();
        tokenTime = later(clock.wall().instant(), Micros.moment(now));
    }

    /** The answer to a request, unless it is to be granted; changes nothing. */
    @Nullable
    AcquireAnswer refuse(AcquireRequest request) throws SQLException {
        return new AcquireJudge(state).answer(request, find(request.keys()));
    }

    AcquireAnswer acquire(AcquireRequest request) throws SQLException {
        List<@Nullable StoredLease> before = find(request.keys());
        AcquireAnswer refused = new AcquireJudge(state).answer(request, before);
        if (refused != null) {
            return refused;
        }
        List<AcquireAnswer.Grant> grants = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            StoredLease ended = before.get(i);
            StoredLease lease = grant(
                    request,
                    request.keys().get(i),
                    ended == null ? 0 : ended.token().value());
            grants.add(new AcquireAnswer.Grant(lease.seenAt(now), seen(ended)));
        }
        return new AcquireAnswer.Granted(grants);
    }

    RenewAnswer renew(RenewRequest request) throws SQLException {
        StoredLease lease = leases.find(request.key());
        if (lease == null || !isOf(lease, request.id(), request.token())) {
            return new RenewAnswer.Lost(LossCause.GONE, seen(lease));
        }
        if (!lease.isLive(now)) {
            LossCause cause = lease.eviction() == null ? LossCause.EXPIRED : LossCause.EVICTED;
            return new RenewAnswer.Lost(cause, lease.seenAt(now));
        }
        StoredLease longer = lease.until(now + Micros.of(request.ttl()));
        put(longer);
        return new RenewAnswer.Renewed(longer.seenAt(now));
    }

    ReleaseAnswer release(ReleaseRequest request) throws SQLException {
        StoredLease lease = leases.find(request.key());
        if (lease == null || !isOf(lease, request.id(), request.token())) {
            return new ReleaseAnswer.Gone(seen(lease));
        }
        free(lease);
        LeaseRecord ended = lease.seenAt(now);
        return lease.isLive(now) ? new ReleaseAnswer.Released(ended) : new ReleaseAnswer.Lapsed(ended);
    }

    EvictAnswer evict(EvictRequest request) throws SQLException {
        StoredLease lease = leases.find(request.key());
        if (lease == null || !lease.token().equals(request.expected())) {
            return new EvictAnswer.Mismatch(seen(lease));
        }
        StoredLease victim = lease;
        if (lease.eviction() == null) {
            victim = lease.evicted(new Eviction(request.actor(), request.reason(), Micros.moment(now)));
            put(victim);
        }
        return new EvictAnswer.Evicted(victim.seenAt(now), Micros.moment(victim.opensAt()));
    }

    List<LeaseRecord> sweep(int limit) throws SQLException {
        List<LeaseRecord> cleared = new ArrayList<>();
        for (StoredLease lease : leases.over(now, limit)) {
            free(lease);
            cleared.add(lease.seenAt(now));
        }
        return cleared;
    }

    /** Starts a new epoch and a quiet period as long as the longest lease there can be. */
    StoreState bumpEpoch() throws SQLException {
        state = state.with(state.tokens().next(leases.greatestToken())).quietUntil(now + state.maxLease());
        wrote = true;
        return state;
    }

    /** Writes down what holds for all keys, if this step wrote at all. */
    void finish() throws SQLException {
        if (wrote) {
            store.write(state);
        }
    }

    private StoredLease grant(AcquireRequest request, LockKey key, long previous) throws SQLException {
        StoreState.Tokens tokens = state.tokens();
        FencingToken token = TokenLayout.next(previous, tokens.floor(), tokens.epoch(), tokenTime);
        StoredLease.Span span = new StoredLease.Span(
                now,
                now + Micros.of(request.terms().ttl()),
                Micros.of(request.terms().lockDelay()));
        StoredLease lease = new StoredLease(
                key,
                request.id(),
                request.holder(),
                token,
                span,
                request.takeover().ask(),
                null);
        put(lease);
        return lease;
    }

    private void put(StoredLease lease) throws SQLException {
        leases.put(lease);
        wrote = true;
    }

    // The row goes, and with it the memory of the key's last token: the floor takes its place.
    private void free(StoredLease lease) throws SQLException {
        leases.delete(lease.key());
        state = state.with(state.tokens().above(lease.token().value()));
        wrote = true;
    }

    private List<@Nullable StoredLease> find(List<LockKey> keys) throws SQLException {
        List<@Nullable StoredLease> found = new ArrayList<>();
        for (LockKey key : keys) {
            found.add(leases.find(key));
        }
        return found;
    }

    private @Nullable LeaseRecord seen(@Nullable StoredLease lease) {
        return lease == null ? null : lease.seenAt(now);
    }

    // The wall clock lifts tokens above those of a file that was lost; the store's own may be ahead of it.
    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    private static boolean isOf(StoredLease lease, LeaseId id, FencingToken token) {
        return lease.id().equals(id) && lease.token().equals(token);
    }
}
