package io.interlock.spi.run.rules;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.run.Run;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rules about bare leases: of a key without runs, for stores that keep none, and of a {@link KeyState} with its runs. */
public final class LeaseRules {

    private LeaseRules() {}

    /** Why {@code lease} keeps its key from being granted at {@code now}, or {@code null} if it does not. */
    public static @Nullable Refusal refusal(
            LockKey key, @Nullable LeaseRow lease, AcquireRequest.Takeover takeover, Instant now) {
        if (lease == null) {
            return null;
        }
        LeaseRecord record = lease.record(key, now);
        if (!lease.isExpired(now)) {
            return new Refusal.Held(record);
        }
        if (lease.opensAt().isAfter(now)) {
            return new Refusal.Delayed(record, lease.opensAt());
        }
        boolean cleared = lease.token().equals(takeover.cleared().get(key));
        return takeover.ask() && lease.eviction() == null && !cleared ? new Refusal.AwaitsProbe(record) : null;
    }

    public static LeaseRow grant(AcquireRequest request, FencingToken token, Instant now) {
        return new LeaseRow(
                request.id(),
                request.holder(),
                token,
                now,
                now.plus(request.terms().ttl()),
                request.terms().lockDelay(),
                null,
                request.takeover().ask());
    }

    /** Why {@code lease} cannot be renewed at {@code now}, or {@code null} if it can. */
    public static RenewAnswer.@Nullable Lost loss(RenewRequest request, @Nullable LeaseRow lease, Instant now) {
        if (lease == null) {
            return new RenewAnswer.Lost(LossCause.GONE, null);
        }
        if (!lease.isProvedBy(request.id(), request.token())) {
            return new RenewAnswer.Lost(LossCause.GONE, lease.record(request.key(), now));
        }
        return lease.isLive(now) ? null : new RenewAnswer.Lost(lease.lossCause(), lease.record(request.key(), now));
    }

    /** The grant of an equal request before, whose answer was lost; empty if there is none or it has ended. */
    public static Optional<AcquireAnswer.Grant> grantedBefore(KeyState state, AcquireRequest request) {
        return state.lease()
                .filter(lease -> lease.id().equals(request.id()) && lease.isLive(state.now()))
                .map(lease -> new AcquireAnswer.Grant(lease.record(state.key(), state.now()), null));
    }

    /** Settles the key; why it cannot be granted then, or {@code null}. A cleared probe clears it for the first run in the queue. */
    public static @Nullable Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
        Settlement.settle(state);
        Refusal taken = QueueRules.taken(state);
        if (taken != null) {
            return taken;
        }
        Optional<Run> first = QueueRules.first(state);
        Refusal.AwaitsProbe unseen = QueueRules.awaitsProbe(state);
        if (first.isEmpty()) {
            return refusal(state.key(), state.lease().orElse(null), takeover, state.now());
        }
        if (unseen == null || !takeover.ask()) {
            return QueueRules.queuedAhead(state, first.get());
        }
        if (!unseen.expired().token().equals(takeover.cleared().get(state.key()))) {
            return unseen;
        }
        state.setLease(null);
        Promotion.promote(state);
        return QueueRules.ahead(state);
    }

    /** Grants a key that nothing keeps from it. */
    public static AcquireAnswer.Grant grant(KeyState state, AcquireRequest request) {
        LeaseRecord before = state.leaseRecord();
        LeaseRow lease = grant(request, state.nextToken(), state.now());
        state.setLease(lease);
        return new AcquireAnswer.Grant(lease.record(state.key(), state.now()), before);
    }

    /** Settles the key, and renews its lease, a run's or a bare one, if it is live and within the max runtime of its run. */
    public static RenewAnswer renew(KeyState state, RenewRequest request) {
        Settlement.settle(state);
        LeaseRow lease = state.lease().orElse(null);
        if (ClaimRules.refusesRenewal(state, request.id(), request.token())) {
            return new RenewAnswer.Lost(LossCause.OVERDUE, state.leaseRecord());
        }
        RenewAnswer.Lost lost = loss(request, lease, state.now());
        if (lease == null || lost != null) {
            return Objects.requireNonNull(lost, "a key without a lease has lost it");
        }
        LeaseRow renewed = lease.until(state.now().plus(request.ttl()));
        ClaimRules.renewed(state, renewed);
        return new RenewAnswer.Renewed(renewed.record(state.key(), state.now()));
    }

    /** Releases the lease, even if it has ended, because its work has stopped. */
    public static ReleaseAnswer release(KeyState state, ReleaseRequest request) {
        LeaseRow lease = state.lease().orElse(null);
        if (lease == null || !lease.isProvedBy(request.id(), request.token())) {
            return new ReleaseAnswer.Gone(state.leaseRecord());
        }
        LeaseRecord ended = lease.record(state.key(), state.now());
        Settlement.settle(state);
        FinishRules.stopped(state);
        return ReleaseAnswer.of(ended);
    }

    /** Settles the key, and deletes its lease unless that keeps the key closed; which it was, as seen before. */
    public static Optional<LeaseRecord> clear(KeyState state) {
        Optional<LeaseRecord> before = Optional.ofNullable(state.leaseRecord());
        Settlement.settle(state);
        if (keepsLease(state) || QueueRules.awaitsProbe(state) != null) {
            return Optional.empty();
        }
        state.setLease(null);
        return before;
    }

    /** Whether the key's lease has not ended, or still keeps the key closed. */
    static boolean keepsLease(KeyState state) {
        return state.lease().isPresent() && !QueueRules.isOver(state);
    }
}
