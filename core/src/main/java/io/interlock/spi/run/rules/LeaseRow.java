package io.interlock.spi.run.rules;

import io.interlock.Eviction;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The lease a key has, a run's or a bare one.
 *
 * @param id the grant's name
 * @param holder who has it
 * @param token proof of turn
 * @param grantedAt when it was granted
 * @param expiresAt when it ends unless renewed before
 * @param lockDelay how long the key stays closed after a bad end
 * @param eviction set when it was taken away by force
 * @param probed whether its holder wanted whoever comes next to look outside first
 */
public record LeaseRow(
        LeaseId id,
        Holder holder,
        FencingToken token,
        Instant grantedAt,
        Instant expiresAt,
        Duration lockDelay,
        @Nullable Eviction eviction,
        boolean probed) {

    /** A lease after which nobody has to look outside. */
    public LeaseRow(
            LeaseId id,
            Holder holder,
            FencingToken token,
            Instant grantedAt,
            Instant expiresAt,
            Duration lockDelay,
            @Nullable Eviction eviction) {
        this(id, holder, token, grantedAt, expiresAt, lockDelay, eviction, false);
    }

    /** Whether {@code id} and {@code token} prove that it is the asker's. */
    public boolean isProvedBy(LeaseId id, FencingToken token) {
        return this.id.equals(id) && this.token.equals(token);
    }

    /** Whether its time is over at {@code now}. */
    public boolean isExpired(Instant now) {
        return !expiresAt.isAfter(now);
    }

    /** Whether it could be renewed at {@code now}. */
    public boolean isLive(Instant now) {
        return eviction == null && !isExpired(now);
    }

    /** When somebody else may have the key, unless the holder says before that it has stopped. */
    public Instant opensAt() {
        return expiresAt.plus(lockDelay);
    }

    /** Whether somebody has to look outside before the key is granted again. Whoever evicts has looked. */
    public boolean awaitsProbe() {
        return probed && eviction == null;
    }

    /** It as seen at {@code now}. */
    public LeaseRecord record(LockKey key, Instant now) {
        return new LeaseRecord(key, id, holder, token, grantedAt, expiresAt, now, eviction);
    }

    LeaseRow evicted(Eviction by) {
        return new LeaseRow(id, holder, token, grantedAt, expiresAt, lockDelay, by, probed);
    }

    /** It with another end, which may also be an earlier one: a renewal says for how long from now the lease is wanted. */
    public LeaseRow until(Instant end) {
        return new LeaseRow(id, holder, token, grantedAt, end, lockDelay, eviction, probed);
    }
}
