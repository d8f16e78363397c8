package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.store.jdbc.SchemaMode;
import io.interlock.time.Ticker;
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
 * Opens sessions so that what is committed lasts: write-ahead log, and every commit on disk before it is answered.
 *
 * <p>Nothing here or elsewhere in a process that uses the store may open the file by other means than SQLite, not even to
 * look at its first bytes: closing it would drop the locks that SQLite has on it.
 */
final class FileConnector implements Connector {

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final SqliteSettings settings;
    private final Ticker ticker;
    private volatile @Nullable Object identity;

    FileConnector(SqliteSettings settings, Ticker ticker) {
        this.settings = settings;
        this.ticker = ticker;
    }

    @Override
    public String store() {
        return settings.store();
    }

    @Override
    public Patience patience() {
        return new Patience(settings.store(), ticker, settings.timeout());
    }

    /** The first session of a store; makes the file if it may. */
    Session openFirst() throws SQLException {
        Session session = open(settings.mode() == SchemaMode.APPLY);
        identity = identity(settings.file());
        return session;
    }

    @Override
    public Session open() throws SQLException {
        return open(false);
    }

    @Override
    public void check(Session session) {
        Object expected = identity;
        if (expected != null && !expected.equals(identity(settings.file()))) {
            throw new StoreUnavailableException(
                    store(), "was moved, deleted or replaced while it was open; put it back, or open the new one");
        }
    }

    private Session open(boolean create) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        if (!create) {
            config.resetOpenMode(SQLiteOpenMode.CREATE);
        }
        config.setBusyTimeout(Math.toIntExact(settings.timeout().toMillis()));
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.enforceForeignKeys(true);
        Connection connection = config.createConnection("jdbc:sqlite:" + settings.file());
        try {
            requireUtf8(connection);
            switchToWal(connection);
            return new Session(connection, settings.names());
        } catch (SQLException | RuntimeException failure) {
            connection.close();
            throw failure;
        }
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
