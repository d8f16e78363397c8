package io.interlock.store.memory;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.time.Environment;
import java.time.Duration;

/**
 * Leases and runs in the memory of this process: the reference implementation of a store, and the store for tests and
 * single-process programs. Exclusion, tokens, leases and runs are limited to the process and end with it.
 *
 * <p>Thread-safe. Lease steps on different keys do not wait for each other; steps about runs wait for each other. The
 * cost of a step does not depend on the number of keys and runs or the age of the store; only listings grow with the
 * number of keys.
 */
public final class MemoryStore extends MemoryRecordsView {

    /** The default of the longest lease. */
    public static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);

    /** The clock counts nanoseconds in 64 bits; longer leases might overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    static final String NAME = "memory";

    private final Environment environment;

    /** A new, empty store, with leases of up to {@link #DEFAULT_MAX_LEASE}. */
    public MemoryStore(Environment environment) {
        this(environment, DEFAULT_MAX_LEASE);
    }

    /** A new, empty store, with leases of up to {@code maxLease}. */
    public MemoryStore(Environment environment, Duration maxLease) {
        this(
                environment,
                new RunSteps(new RunTable(new StoreClock(environment), checked(maxLease), environment.random())));
    }

    MemoryStore(Environment environment, RunSteps runs) {
        super(environment, runs);
        this.environment = environment;
    }

    /** Another client of the same store, like a second process; each is closed separately. */
    public MemoryStore anotherClient() {
        return new MemoryStore(environment, runs());
    }

    @Override
    public String toString() {
        return NAME + ":";
    }

    private static Duration checked(Duration maxLease) {
        if (maxLease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is below the shortest lease of " + DurationText.format(LeaseTerms.MIN_TTL),
                    "remove it for the default of " + DurationText.format(DEFAULT_MAX_LEASE));
        }
        if (maxLease.compareTo(LONGEST) > 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is above the limit of " + DurationText.format(LONGEST),
                    "leases are renewed, so long work needs no long lease");
        }
        return maxLease;
    }
}
