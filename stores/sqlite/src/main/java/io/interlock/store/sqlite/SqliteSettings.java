package io.interlock.store.sqlite;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.TableNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the URL {@code sqlite:PATH?maxLease=5m&prefix=interlock_&migrate=apply&timeout=5s} says.
 * The place of the database is looked at before SQLite touches it, because SQLite makes files where there are none and trusts whatever
 * locks a file system pretends to have.
 *
 * @param store the URL without options, for messages
 * @param file the database, an absolute path
 * @param timeout how long to wait for another process that is writing
 */
record SqliteSettings(String store, Path file, TableNames names, SchemaMode mode, Duration maxLease, Duration timeout) {

    private static final Logger log = LoggerFactory.getLogger(SqliteSettings.class);

    /** File systems shared between machines: their locks do not hold, and their shared memory is not shared. */
    private static final Set<String> NETWORK =
            Set.of(("nfs nfs4 cifs smb smb2 smb3 smbfs ncpfs afs 9p ceph lustre gpfs beegfs"
                            + " glusterfs ocfs2 gfs2 davfs webdav fuse.sshfs fuse.glusterfs fuse.s3fs fuse.davfs fuse.rclone fuse.ceph"
                            + " fuse.juicefs")
                    .split(" ", -1));

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
        return new SqliteSettings(url.toString(), file(url, mode), names, mode, maxLease, timeout);
    }

    /** The absolute path a URL names, if a database can be there. */
    static Path file(StoreUrl url, SchemaMode mode) {
        Path file = path(url);
        if (Files.isDirectory(file)) {
            throw refuse(url, "is a directory", "name a file in it, for example " + url + "/interlock.db");
        }
        boolean exists = Files.exists(file);
        Path real = exists ? real(url, file) : file;
        Path folder = Objects.requireNonNull(real.getParent(), "an absolute path to a file has a parent");
        if (!Files.isDirectory(folder)) {
            throw refuse(url, "is in a directory that does not exist", "create " + folder + " first");
        }
        if (!exists && mode != SchemaMode.APPLY) {
            throw refuse(url, "does not exist", "correct the path, or open it once with migrate=apply");
        }
        if (!Files.isWritable(folder)) {
            throw InvalidSettingException.forbidden(
                    "store",
                    url,
                    "is in a directory this user cannot write to",
                    "allow writing to " + folder + ": the log is there");
        }
        if (exists && !Files.isWritable(real)) {
            throw InvalidSettingException.forbidden(
                    "store", url, "cannot be written by this user", "allow writing to " + real);
        }
        requireLocal(url, fileSystem(url, folder));
        return real;
    }

    /** Refuses file systems that machines share, and warns of those that vanish with a container. */
    static void requireLocal(StoreUrl url, String fileSystem) {
        String type = fileSystem.toLowerCase(Locale.ROOT);
        if (NETWORK.contains(type)) {
            throw new UnsafeStoreException(
                    url.toString(),
                    "is on the network file system '" + type + "', where SQLite's locks do not hold",
                    "use a local disk, or postgresql: for several machines");
        }
        if (type.equals("overlay") || type.equals("virtiofs") || type.startsWith("fuse")) {
            log.warn(
                    "store {} is on the file system '{}': it may vanish with its container, and must not be shared between"
                            + " machines; put it on a volume of its own",
                    url,
                    type);
        }
    }

    private static Path path(StoreUrl url) {
        String rest = url.rest();
        if (rest.contains(":memory:") || rest.startsWith("file:")) {
            throw refuse(url, "names no file", "use memory: for leases of one process, or sqlite:PATH");
        }
        if (rest.isBlank()) {
            throw refuse(url, "names no file", "write sqlite:PATH, for example sqlite:interlock.db");
        }
        try {
            String home = rest.startsWith("~/") ? System.getProperty("user.home") + rest.substring(1) : rest;
            return Path.of(home).toAbsolutePath();
        } catch (InvalidPathException notAPath) {
            throw refuse(url, "is no path (" + notAPath.getReason() + ")", "correct the path");
        }
    }

    // A link would make two names of one file, and SQLite puts its log beside the file itself.
    private static Path real(StoreUrl url, Path file) {
        try {
            return file.toRealPath();
        } catch (IOException failure) {
            throw refuse(
                    url, "cannot be looked at (" + failure + ")", "allow this user to read the directories above it");
        }
    }

    private static String fileSystem(StoreUrl url, Path folder) {
        try {
            return Files.getFileStore(folder).type();
        } catch (IOException failure) {
            log.warn("store {}: cannot tell its file system ({}); it must be a local disk", url, failure.toString());
            return "unknown";
        }
    }

    private static InvalidSettingException refuse(StoreUrl url, String broken, String nextStep) {
        return new InvalidSettingException("store", url, broken, nextStep);
    }
}
