package io.interlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease as its store knew it at one moment. All times are the store's: compare them with each other, never with the
 * clock of this process.
 *
 * @param key what is exclusive
 * @param id the grant's name, made by the holder
 * @param holder who has it
 * @param token proof of turn
 * @param grantedAt when it was granted
 * @param expiresAt when it ends unless renewed before
 * @param observedAt the store's time when this record was read
 * @param eviction set when the lease was taken away by force and its holder may still be working
 */
public record LeaseRecord(
        LockKey key,
        LeaseId id,
        Holder holder,
        FencingToken token,
        Instant grantedAt,
        Instant expiresAt,
        Instant observedAt,
        @Nullable Eviction eviction) {

    /** Whether it could still be renewed when it was read: not ended and not evicted. */
    public boolean isLive() {
        return eviction == null && !isExpired();
    }

    /** Whether its time was over when it was read. */
    public boolean isExpired() {
        return !expiresAt.isAfter(observedAt);
    }

    /** How it was taken away, if it was. */
    public Optional<Eviction> evicted() {
        return Optional.ofNullable(eviction);
    }

    /** The time left when it was read; zero if it had ended. */
    public Duration remaining() {
        return isExpired() ? Duration.ZERO : Duration.between(observedAt, expiresAt);
    }

    /** How long it had been held when it was read. */
    public Duration heldFor() {
        return Duration.between(grantedAt, observedAt);
    }
}
