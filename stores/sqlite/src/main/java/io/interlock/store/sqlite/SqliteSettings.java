package io.interlock.store.sqlite;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.TableNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * What the URL {@code sqlite:PATH?maxLease=5m&prefix=interlock_&migrate=apply&timeout=5s} says.
 *
 * @param store the URL without options, for messages
 * @param file the database, an absolute path
 * @param names what its tables are called
 * @param mode what opening does about them
 * @param maxLease the longest lease asked for
 * @param timeout how long to wait for another process that is writing
 */
record SqliteSettings(String store, Path file, TableNames names, SchemaMode mode, Duration maxLease, Duration timeout) {

    private static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
    private static final Set<String> OPTIONS =
            Set.of("maxLease", TableNames.PREFIX_OPTION, SchemaMode.OPTION, "timeout");

    /**
     * Reads a URL and looks at the place it names; makes nothing.
     *
     * @throws InvalidSettingException if an option is wrong or the file cannot be there
     * @throws io.interlock.UnsafeStoreException if it is on a file system on which SQLite's locks do not hold
     */
    static SqliteSettings of(StoreUrl url) {
        url.allowOnly(OPTIONS);
        TableNames names = new TableNames("main", url.option(TableNames.PREFIX_OPTION, TableNames.DEFAULT_PREFIX));
        SchemaMode mode = SchemaMode.of(url);
        Duration maxLease = url.duration("maxLease", DEFAULT_MAX_LEASE);
        if (maxLease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is below the shortest lease of " + DurationText.format(LeaseTerms.MIN_TTL),
                    "choose a longer one; 5m suits most work");
        }
        Duration timeout = url.duration("timeout", DEFAULT_TIMEOUT);
        if (timeout.toMillis() < 1 || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new InvalidSettingException(
                    "timeout",
                    DurationText.format(timeout),
                    "must be from 1ms to " + DurationText.format(MAX_TIMEOUT),
                    "5s suits most disks");
        }
        Path file = DatabaseFile.of(url, mode);
        return new SqliteSettings(url.toString(), file, names, mode, maxLease, timeout);
    }
}
