package io.interlock.spi.run.rules;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a key, a run's or a bare one.
 *
 * @param expiresAt when it ends unless it is renewed
 * @param lockDelay how long the key stays closed after an expiry or eviction
 * @param eviction set if it was evicted
 * @param probed whether the next holder must run a take-over probe first
 */
public record LeaseRow(
        LeaseId id,
        Holder holder,
        FencingToken token,
        Instant grantedAt,
        Instant expiresAt,
        Duration lockDelay,
        LeaseRecord.@Nullable Eviction eviction,
        boolean probed) {

    /** Whether {@code id} and {@code token} match. */
    public boolean isProvedBy(LeaseId id, FencingToken token) {
        return this.id.equals(id) && this.token.equals(token);
    }

    public boolean isExpired(Instant now) {
        return !expiresAt.isAfter(now);
    }

    /** Whether it could be renewed at {@code now}. */
    public boolean isLive(Instant now) {
        return eviction == null && !isExpired(now);
    }

    /** Why it is not live any more. */
    public LossCause lossCause() {
        return eviction == null ? LossCause.EXPIRED : LossCause.EVICTED;
    }

    /** When the key can be granted again, unless the holder releases it before. */
    public Instant opensAt() {
        return expiresAt.plus(lockDelay);
    }

    /** Whether a probe must run before the key is granted again. Not after an eviction. */
    public boolean awaitsProbe() {
        return probed && eviction == null;
    }

    /** This lease as seen at {@code now}. */
    public LeaseRecord record(LockKey key, Instant now) {
        return new LeaseRecord(key, id, holder, token, grantedAt, expiresAt, now, eviction);
    }

    public LeaseRow evicted(LeaseRecord.Eviction by) {
        return new LeaseRow(id, holder, token, grantedAt, expiresAt, lockDelay, by, probed);
    }

    /** This lease with another end, which may be an earlier one. */
    public LeaseRow until(Instant end) {
        return new LeaseRow(id, holder, token, grantedAt, end, lockDelay, eviction, probed);
    }
}
