package io.interlock.store.sqlite;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.TableNames;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the URL {@code sqlite:PATH?maxLease=5m&prefix=interlock_&migrate=apply&timeout=5s} says.
 *
 * @param store the URL without options, for messages
 * @param file the database, an absolute path
 * @param timeout how long to wait for another process that is writing
 */
record SqliteSettings(String store, Path file, TableNames names, SchemaMode mode, Duration maxLease, Duration timeout) {

    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

    /**
     * Reads a URL and looks at the place it names; makes nothing.
     *
     * @throws InvalidSettingException if an option is wrong or the file cannot be there
     * @throws io.interlock.UnsafeStoreException if it is on a file system on which SQLite's locks do not hold
     */
    static SqliteSettings of(StoreUrl url) {
        url.allowOnly(ServerSettings.OPTIONS);
        TableNames names = new TableNames("main", url.option(TableNames.PREFIX_OPTION, TableNames.DEFAULT_PREFIX));
        SchemaMode mode = SchemaMode.of(url);
        Duration maxLease =
                ServerSettings.requireLongEnough(url.duration("maxLease", ServerSettings.DEFAULT_MAX_LEASE));
        Duration timeout = url.duration("timeout", ServerSettings.DEFAULT_TIMEOUT);
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
