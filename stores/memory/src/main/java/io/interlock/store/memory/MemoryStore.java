package io.interlock.store.memory;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.time.Environment;
import java.time.Duration;

/**
 * Leases and runs in the memory of this process: the reference for what every store does, and the store for tests and for programs
 * that are one process. Exclusion, tokens, leases and runs reach as far as the process and end with it.
 *
 * <p>Safe for use by many threads. Whoever uses leases does not wait for somebody who uses other keys; steps about runs
 * wait for each other. What a step costs depends neither on how many keys and runs there are nor on how old the store is;
 * only what lists or looks at all keys grows with their number.
 */
public final class MemoryStore extends MemoryRecordsView {

    /** The longest lease unless said otherwise. */
    public static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);

    /** The clock counts nanoseconds in 64 bits; what is longer might end before it begins. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    static final String NAME = "memory";

    private final Environment environment;

    /** An empty store of its own, with leases of up to {@link #DEFAULT_MAX_LEASE}. */
    public MemoryStore(Environment environment) {
        this(environment, DEFAULT_MAX_LEASE);
    }

    /** An empty store of its own, with leases of up to {@code maxLease}. */
    public MemoryStore(Environment environment, Duration maxLease) {
        this(
                environment,
                new RunSteps(new RunTable(new StoreClock(environment), checked(maxLease), environment.random())));
    }

    MemoryStore(Environment environment, RunSteps runs) {
        super(environment, runs);
        this.environment = environment;
    }

    /** Another client of the same leases, as a second process would be; each is closed for itself. */
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
                    "leave it out for " + DurationText.format(DEFAULT_MAX_LEASE));
        }
        if (maxLease.compareTo(LONGEST) > 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is above the limit of " + DurationText.format(LONGEST),
                    "let renewal carry long work");
        }
        return maxLease;
    }
}
