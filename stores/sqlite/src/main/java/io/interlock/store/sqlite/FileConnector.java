package io.interlock.store.sqlite;

import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.SqlConnection;
import io.interlock.time.Environment.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/**
 * Opens connections so that what is committed lasts: write-ahead log, and every commit on disk before it is answered.
 *
 * <p>Nothing here or elsewhere in a process that uses the store may open the file by other means than SQLite, not even to
 * look at its first bytes: closing it would drop the locks that SQLite has on it. Safe for use by many threads.
 */
class FileConnector {

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final SqliteSettings settings;
    private final SqliteDialect dialect;
    private final Ticker ticker;
    private volatile @Nullable Object identity;

    FileConnector(SqliteSettings settings, SqliteDialect dialect, Ticker ticker) {
        this.settings = settings;
        this.dialect = dialect;
        this.ticker = ticker;
    }

    String store() {
        return settings.store();
    }

    WaitDeadline patience() {
        return new WaitDeadline(settings.store(), ticker, settings.timeout());
    }

    /** The first connection of a store; makes the file if it may. */
    SqlConnection openFirst() throws SQLException {
        boolean creates = settings.mode() == SchemaMode.APPLY && !Files.exists(settings.file());
        if (creates) {
            makeTurnFile();
        }
        SqlConnection connection = open(creates);
        identity = identity(settings.file());
        return connection;
    }

    /** A connection to the file, which is there already. */
    SqlConnection open() throws SQLException {
        return open(false);
    }

    /** The side file at which processes take turns. */
    TurnFile turns() {
        makeTurnFile();
        try {
            return TurnFile.open(settings.file(), ticker);
        } catch (IOException failure) {
            throw new StoreUnavailableException(
                    store(),
                    "cannot use its side file " + TurnFile.of(settings.file()) + " (" + failure + ")",
                    failure);
        }
    }

    private void makeTurnFile() {
        try {
            TurnFile.make(settings.file());
        } catch (IOException failure) {
            throw InvalidSettingException.forbidden(
                    "store",
                    store(),
                    "cannot have its side file " + TurnFile.of(settings.file()) + " (" + failure + ")",
                    "allow this user to write in its directory");
        }
    }

    /**
     * Called before each use of a connection: makes sure that the store's path still names the file it was opened with. If
     * it does not, others may meet in another file by now, and nothing said about keys in this one would count.
     *
     * @throws StoreUnavailableException if the file was moved, deleted or replaced
     * @throws SQLException if the connection is of no use
     */
    void check(SqlConnection connection) throws SQLException {
        Object expected = identity;
        if (expected != null && !expected.equals(identity(settings.file()))) {
            throw new StoreUnavailableException(
                    store(), "was moved, deleted or replaced while it was open; put it back, or open the new one");
        }
    }

    private SqlConnection open(boolean create) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        if (!create) {
            config.resetOpenMode(SQLiteOpenMode.CREATE);
        }
        config.setBusyTimeout(Math.toIntExact(settings.timeout().toMillis()));
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        // The driver would search the text of each statement for an INSERT.
        config.setGetGeneratedKeys(false);
        Connection connection = config.createConnection("jdbc:sqlite:" + uri(create));
        try {
            requireUtf8(connection);
            switchToWal(connection);
            return new SqlConnection(connection, dialect);
        } catch (SQLException | RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    // A file that SQLite makes gets the permissions of the side file, and its log and shared memory get those of the
    // file.
    private String uri(boolean create) {
        Path file = settings.file();
        return "file:" + encoded(file) + (create ? "?modeof=" + encoded(TurnFile.of(file)) : "");
    }

    // An ampersand would begin another parameter.
    private static String encoded(Path file) {
        return file.toUri().getRawPath().replace("&", "%26");
    }

    // Keys sort by their UTF-8 bytes, and SQLite compares the bytes it stores.
    private void requireUtf8(Connection connection) throws SQLException {
        String encoding = text(connection, "PRAGMA encoding");
        if (!"UTF-8".equals(encoding)) {
            throw new UnsafeStoreException(
                    store(), "keeps texts as " + encoding + ", not as UTF-8", "give Interlock a file of its own");
        }
    }

    // The busy timeout does not cover this switch, so that the first starts of many processes at once would fail.
    private void switchToWal(Connection connection) throws SQLException {
        long start = ticker.nanos();
        while (true) {
            try {
                String mode = text(connection, "PRAGMA journal_mode = WAL");
                if (!"wal".equals(mode)) {
                    throw new UnsafeStoreException(
                            store(),
                            "cannot use a write-ahead log; SQLite stays in mode '" + mode + "'",
                            "put the file on a local disk that allows shared memory");
                }
                return;
            } catch (SQLException failure) {
                if (!SqliteErrors.isBusy(failure)
                        || ticker.nanos() - start > settings.timeout().toNanos()) {
                    throw failure;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private static String text(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(pragma)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private static @Nullable Object identity(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException gone) {
            return null;
        }
    }
}
