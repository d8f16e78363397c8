package io.interlock.spi.run.rules;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The rules about the lease of one key, whatever runs the key has. */
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
        if (lease.isLive(now)) {
            return null;
        }
        LossCause cause = lease.eviction() == null ? LossCause.EXPIRED : LossCause.EVICTED;
        return new RenewAnswer.Lost(cause, lease.record(request.key(), now));
    }
}
