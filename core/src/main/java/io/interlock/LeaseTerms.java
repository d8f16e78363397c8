package io.interlock;

import java.time.Duration;

/**
 * How long a lease lasts, and how long its key stays closed after an expiry or eviction.
 *
 * @param ttl time to live, at least {@link #MIN_TTL}; a store also has a longest one
 * @param lockDelay how long the key stays closed after an expiry or eviction, from zero to {@link #MAX_LOCK_DELAY}
 */
public record LeaseTerms(Duration ttl, Duration lockDelay) {

    /** The shortest lease. Below it, an ordinary pause of the garbage collector or network costs leases. */
    public static final Duration MIN_TTL = Duration.ofSeconds(2);

    /** The longest lock delay. */
    public static final Duration MAX_LOCK_DELAY = Duration.ofHours(1);

    /** Checks the limits of all stores. */
    public LeaseTerms {
        if (ttl.compareTo(MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "ttl",
                    DurationText.format(ttl),
                    "is below the shortest lease of " + DurationText.format(MIN_TTL),
                    "choose a longer one; 30s suits most work");
        }
        if (lockDelay.isNegative() || lockDelay.compareTo(MAX_LOCK_DELAY) > 0) {
            throw new InvalidSettingException(
                    "lockDelay",
                    DurationText.format(lockDelay),
                    "must be from 0s to " + DurationText.format(MAX_LOCK_DELAY),
                    "15s suits a resource that cannot check tokens");
        }
    }

    /** A lease without lock delay. */
    public static LeaseTerms of(Duration ttl) {
        return new LeaseTerms(ttl, Duration.ZERO);
    }

    /**
     * How long a holder may rely on the lease by its own clock, counted from before it sent the acquire or the last
     * renewal. The store counts from when it processed the request, so this time ends first; one hundredth is
     * subtracted for clocks that run at different speeds, and a sixth so that the work has time to stop.
     */
    public Duration reliance() {
        return ttl.dividedBy(100).multipliedBy(99).minus(ttl.dividedBy(6));
    }

    /**
     * These terms, if a store allows them.
     *
     * @throws InvalidSettingException if the ttl is above {@code maxLease}
     */
    public LeaseTerms within(Duration maxLease) {
        if (ttl.compareTo(maxLease) > 0) {
            throw new InvalidSettingException(
                    "ttl",
                    DurationText.format(ttl),
                    "is above the store's maxLease of " + DurationText.format(maxLease),
                    "leases are renewed, so long work needs no long lease; choose a shorter one, or raise maxLease in the store's URL");
        }
        return this;
    }
}
