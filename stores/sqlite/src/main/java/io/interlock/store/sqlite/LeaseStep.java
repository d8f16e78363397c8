package io.interlock.store.sqlite;

import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.rules.BareLeases;
import io.interlock.spi.run.rules.Finishing;
import io.interlock.spi.run.rules.Stopping;
import io.interlock.spi.run.rules.Working;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verbs about leases within one {@link Step}. A key that runs have nothing to do with goes by the rules for leases
 * alone; on all others the rules about runs settle first what time has brought about, and have their say.
 */
final class LeaseStep {

    private final Step step;
    private final Rooms rooms;
    private final long now;

    LeaseStep(Step step) {
        this.step = step;
        rooms = new Rooms(step);
        now = step.now();
    }

    AcquireAnswer acquire(AcquireRequest request) throws SQLException {
        List<@Nullable StoredLease> leases = new ArrayList<>();
        for (LockKey key : request.keys()) {
            leases.add(step.lease(key));
        }
        AcquireJudge judge = new AcquireJudge(step.state());
        AcquireAnswer answer = judge.answer(request, leases);
        if (answer != null) {
            return answer;
        }
        for (int i = 0; i < leases.size(); i++) {
            LockKey key = request.keys().get(i);
            Refusal refusal = null;
            if (rooms.concern(key)) {
                refusal = rooms.step(key, room -> Optional.ofNullable(BareLeases.refusal(room, request.takeover())))
                        .orElse(null);
                // What was due may have freed the key.
                leases.set(i, step.lease(key));
            }
            StoredLease lease = leases.get(i);
            if (refusal == null && lease != null) {
                refusal = judge.refusal(request, lease);
            }
            if (refusal != null) {
                return new AcquireAnswer.Refused(refusal);
            }
        }
        return grant(request, leases);
    }

    RenewAnswer renew(RenewRequest request) throws SQLException {
        LockKey key = request.key();
        boolean overdue = rooms.know(key) && rooms.step(key, Working::isOverdue);
        StoredLease lease = step.lease(key);
        if (lease == null || !isOf(lease, request.id(), request.token())) {
            return new RenewAnswer.Lost(LossCause.GONE, seen(lease));
        }
        if (overdue) {
            return new RenewAnswer.Lost(LossCause.OVERDUE, lease.seenAt(now));
        }
        if (!lease.isLive(now)) {
            LossCause cause = lease.eviction() == null ? LossCause.EXPIRED : LossCause.EVICTED;
            return new RenewAnswer.Lost(cause, lease.seenAt(now));
        }
        StoredLease longer = lease.until(now + Micros.of(request.ttl()));
        step.put(longer);
        return new RenewAnswer.Renewed(longer.seenAt(now));
    }

    ReleaseAnswer release(ReleaseRequest request) throws SQLException {
        LockKey key = request.key();
        StoredLease lease = step.lease(key);
        if (lease == null || !isOf(lease, request.id(), request.token())) {
            return new ReleaseAnswer.Gone(seen(lease));
        }
        LeaseRecord ended = lease.seenAt(now);
        if (rooms.know(key)) {
            rooms.step(key, room -> {
                Finishing.stopped(room);
                return ended;
            });
        } else {
            step.free(lease);
        }
        return lease.isLive(now) ? new ReleaseAnswer.Released(ended) : new ReleaseAnswer.Lapsed(ended);
    }

    EvictAnswer evict(EvictRequest request) throws SQLException {
        return rooms.step(request.key(), room -> Stopping.evict(room, request));
    }

    /** Clears leases that ended by themselves and whose lock delay is over. */
    List<LeaseRecord> sweep(int limit) throws SQLException {
        List<LeaseRecord> cleared = new ArrayList<>();
        for (StoredLease lease : step.leases().over(now, limit)) {
            if (clear(lease)) {
                cleared.add(lease.seenAt(now));
            }
        }
        return cleared;
    }

    private boolean clear(StoredLease lease) throws SQLException {
        LockKey key = lease.key();
        if (!rooms.know(key)) {
            step.free(lease);
            return true;
        }
        boolean kept = rooms.step(key, BareLeases::keepsLease);
        StoredLease left = step.lease(key);
        if (left != null && !kept) {
            step.free(left);
        }
        return left == null || !kept;
    }

    private AcquireAnswer grant(AcquireRequest request, List<@Nullable StoredLease> before) throws SQLException {
        List<AcquireAnswer.Grant> grants = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            StoredLease ended = before.get(i);
            StoredLease.Span span = new StoredLease.Span(
                    now,
                    now + Micros.of(request.terms().ttl()),
                    Micros.of(request.terms().lockDelay()));
            StoredLease lease = new StoredLease(
                    request.keys().get(i),
                    request.id(),
                    request.holder(),
                    step.nextToken(ended == null ? 0 : ended.token().value()),
                    span,
                    request.takeover().ask(),
                    null);
            step.put(lease);
            grants.add(new AcquireAnswer.Grant(lease.seenAt(now), seen(ended)));
        }
        return new AcquireAnswer.Granted(grants);
    }

    private @Nullable LeaseRecord seen(@Nullable StoredLease lease) {
        return lease == null ? null : lease.seenAt(now);
    }

    private static boolean isOf(StoredLease lease, LeaseId id, FencingToken token) {
        return lease.id().equals(id) && lease.token().equals(token);
    }
}
