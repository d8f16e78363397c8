package io.interlock;

import java.time.Duration;

/**
 * How long a lease lasts, and how long its key stays closed if it ends by expiry or force.
 *
 * @param ttl time to live, at least {@link #MIN_TTL}; a store also has a longest one
 * @param lockDelay zero, or the pause after a bad end, at most {@link #MAX_LOCK_DELAY}
 */
public record LeaseTerms(Duration ttl, Duration lockDelay) {

    /** The shortest lease. Below it, an ordinary pause of the garbage collector or network costs leases. */
    public static final Duration MIN_TTL = Duration.ofSeconds(2);

    /** The longest pause after a bad end. */
    public static final Duration MAX_LOCK_DELAY = Duration.ofHours(1);

    /** Checks the limits that hold for all stores. */
    public LeaseTerms {
        if (ttl.compareTo(MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "ttl",
                    DurationText.format(ttl),
                    "is below the shortest lease of " + DurationText.format(MIN_TTL),
                    "choose a longer ttl; 30s suits most work");
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
     * How long a holder may rely on the lease by its own clock, from before it asked for it or for its last renewal. The
     * store counts from when it dealt with the request, so this comes to its end first; one hundredth is taken off for clocks
     * that run at different speeds, and a sixth so that the work has time to stop.
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
                    "let renewal carry long work, or raise maxLease in the store's URL");
        }
        return this;
    }
}
