package io.interlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease as seen in its store at one moment. All times are the store's: compare them with each other, never with the
 * clock of this process.
 *
 * @param id the id of the grant, created by the holder
 * @param expiresAt when it ends unless it is renewed
 * @param observedAt the store's time when this record was read
 * @param eviction set if the lease was evicted and its holder may still be working
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

    /** Whether it had expired when it was read. */
    public boolean isExpired() {
        return !expiresAt.isAfter(observedAt);
    }

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

    /** The eviction of a lease. */
    public record Eviction(String actor, String reason, Instant at) {}

    /** The answer of a store to an eviction. */
    public sealed interface EvictAnswer {

        /**
         * The lease's token is invalid. The key becomes free when the evicted holder releases it, which means that its
         * work has stopped, or at {@code opensAt}, whichever comes first.
         *
         * @param opensAt its old end plus its lock delay, by the store's clock
         */
        record Evicted(LeaseRecord victim, Instant opensAt) implements EvictAnswer {}

        /**
         * The key has no lease with the expected token; nothing was changed.
         *
         * @param current the lease it has, if any
         */
        record Mismatch(@Nullable LeaseRecord current) implements EvictAnswer {

            /** The lease the key has now. */
            public Optional<LeaseRecord> holder() {
                return Optional.ofNullable(current);
            }
        }
    }
}
