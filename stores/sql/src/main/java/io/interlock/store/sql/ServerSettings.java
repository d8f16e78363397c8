package io.interlock.store.sql;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.spi.StoreUrl;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a store on a database server is used, whichever way its connections come.
 *
 * @param store its kind and place, for people, without secrets
 * @param names where its tables are
 * @param migrate what opening does about them
 * @param maxLease the longest lease this client will ask for
 * @param timeout how long one call may take before the store counts as unavailable
 */
public record ServerSettings(String store, TableNames names, SchemaMode migrate, Duration maxLease, Duration timeout) {

    /** The options of a URL that {@link #of} reads. */
    public static final Set<String> OPTIONS =
            Set.of(TableNames.PREFIX_OPTION, SchemaMode.OPTION, "maxLease", "timeout");

    public static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);

    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /**
     * Checks both durations.
     *
     * @throws InvalidSettingException if one is out of range
     */
    public ServerSettings {
        requireLongEnough(maxLease);
        if (timeout.compareTo(MIN_TIMEOUT) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new InvalidSettingException(
                    "timeout",
                    DurationText.format(timeout),
                    "must be from " + DurationText.format(MIN_TIMEOUT) + " to " + DurationText.format(MAX_TIMEOUT),
                    "the default is " + DurationText.format(DEFAULT_TIMEOUT));
        }
    }

    /**
     * A {@code maxLease} that allows the shortest lease.
     *
     * @throws InvalidSettingException if it does not
     */
    public static Duration requireLongEnough(Duration maxLease) {
        if (maxLease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is below the shortest lease of " + DurationText.format(LeaseTerms.MIN_TTL),
                    "choose a longer one; the default is " + DurationText.format(DEFAULT_MAX_LEASE));
        }
        return maxLease;
    }

    /** What {@code url} says about a store whose tables are in {@code schema}, or in the database of the connection. */
    public static ServerSettings of(String store, @Nullable String schema, StoreUrl url) {
        return new ServerSettings(
                store,
                new TableNames(schema, url.option(TableNames.PREFIX_OPTION, TableNames.DEFAULT_PREFIX)),
                SchemaMode.of(url),
                url.duration("maxLease", DEFAULT_MAX_LEASE),
                url.duration("timeout", DEFAULT_TIMEOUT));
    }

    /** How long a statement may wait for a lock: less than is left for its answer, so that the server says so itself. */
    int patienceMillis(int left) {
        return (int) Math.max(1, Math.min(PATIENCE.toMillis(), left * 3L / 4));
    }

    /** The same, with all of the timeout left. */
    public int patienceMillis() {
        return patienceMillis(timeoutMillis());
    }

    public int timeoutMillis() {
        return (int) timeout.toMillis();
    }

    /** The timeout in whole seconds, rounded up: drivers count in them. */
    public int timeoutSeconds() {
        return (int) timeout.plusMillis(999).toSeconds();
    }
}
