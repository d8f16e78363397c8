package io.interlock.store.postgres;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.TableNames;
import java.time.Duration;

/**
 * How a store is used, whichever way its connections come.
 *
 * @param store its kind and place, for people, without secrets
 * @param names where its tables are
 * @param migrate what opening does about them
 * @param maxLease the longest lease this client will ask for
 * @param timeout how long one call may take before the store counts as unavailable
 */
record PostgresSettings(String store, TableNames names, SchemaMode migrate, Duration maxLease, Duration timeout) {

    static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);
    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    PostgresSettings {
        if (maxLease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is below the shortest lease of " + DurationText.format(LeaseTerms.MIN_TTL),
                    "choose a longer one; the default is " + DurationText.format(DEFAULT_MAX_LEASE));
        }
        if (timeout.compareTo(MIN_TIMEOUT) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new InvalidSettingException(
                    "timeout",
                    DurationText.format(timeout),
                    "must be from " + DurationText.format(MIN_TIMEOUT) + " to " + DurationText.format(MAX_TIMEOUT),
                    "the default is " + DurationText.format(DEFAULT_TIMEOUT));
        }
    }

    static PostgresSettings of(String store, StoreUrl url) {
        return new PostgresSettings(
                store,
                new TableNames(
                        url.option("schema", "public"),
                        url.option(TableNames.PREFIX_OPTION, TableNames.DEFAULT_PREFIX)),
                SchemaMode.of(url),
                url.duration("maxLease", DEFAULT_MAX_LEASE),
                url.duration("timeout", DEFAULT_TIMEOUT));
    }

    /** How long a statement may wait for a lock: less than is left for its answer, so that the server says so itself. */
    int patienceMillis(int left) {
        return (int) Math.max(1, Math.min(PATIENCE.toMillis(), left * 3L / 4));
    }

    int patienceMillis() {
        return patienceMillis(timeoutMillis());
    }

    int timeoutMillis() {
        return (int) timeout.toMillis();
    }

    /** In whole seconds, rounded up: the driver counts in them. */
    int timeoutSeconds() {
        return (int) timeout.plusMillis(999).toSeconds();
    }

    /** The channel of wake-ups: every store in a database has its own. */
    String channel() {
        return String.format("interlock_%016x", KeyHash.of(names.schema() + "." + names.prefix()));
    }
}
