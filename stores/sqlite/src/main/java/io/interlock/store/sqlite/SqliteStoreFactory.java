package io.interlock.store.sqlite;

import io.interlock.StoreCapabilities;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.PollingFeed;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import org.sqlite.SQLiteConfig;

/**
 * Opens {@code sqlite:PATH?maxLease=5m&prefix=interlock_&migrate=apply&timeout=5s}: leases and runs in one SQLite file, shared by any number of processes of one machine.
 *
 * <p>What was answered is on disk (write-ahead log, {@code synchronous=FULL}); a batch is one transaction and one sync. A
 * refusal only reads, and so does a worker that asks for work when there is none. Every write transaction begins as the only
 * writer, and reads the clock after that; processes that want to write take turns. Any error of SQLite is a {@link
 * io.interlock.StoreUnavailableException}, never an answer about a key.
 *
 * <p>Time is the machine's time since boot: setting the wall clock neither shortens nor lengthens a lease, and after a
 * restart of the machine all leases are over, because all holders are.
 *
 * <p>The files are made so that only their owner can read and write them. A user who can write to the database can take every
 * lease; one who can read it sees lease ids, which are secrets of their holders. Back it up with {@code VACUUM INTO}, never by
 * copying.
 */
public final class SqliteStoreFactory implements StoreFactory {

    /** Linux tells the time since boot in hundredths of a second; no clock of a host is coarser. */
    private static final Duration PRECISION = Duration.ofMillis(10);

    @Override
    public Set<String> schemes() {
        return Set.of("sqlite");
    }

    @Override
    public SqlStore open(StoreUrl url, Environment environment) {
        return open(SqliteSettings.of(url), environment, HostClock.ofThisMachine(environment));
    }

    /** The driver loads its library, and calendars and formats for dates, with the first connection. */
    @Override
    public void prepare() {
        try (Connection connection = new SQLiteConfig().createConnection("jdbc:sqlite::memory:");
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        } catch (SQLException failure) {
            throw SqliteErrors.atOpening("sqlite::memory:", failure);
        }
    }

    static SqlStore open(SqliteSettings settings, Environment environment, HostClock host) {
        StoreClock clock = new StoreClock(settings.store(), host, environment.clock());
        SqliteDialect dialect = new SqliteDialect(settings.names(), clock);
        FileConnector connector = new FileConnector(settings, dialect, environment.ticker());
        try (SqlConnection connection = connector.openFirst()) {
            Duration maxLease = new Opening(settings, clock).run(connection);
            return open(connector, dialect, clock, environment, maxLease);
        } catch (SQLException failure) {
            throw SqliteErrors.atOpening(settings.store(), failure);
        }
    }

    /** A store whose file is ready, reached in another way. */
    static SqlStore open(
            FileConnector connector,
            SqliteDialect dialect,
            StoreClock clock,
            Environment environment,
            Duration maxLease) {
        SqliteDatabase database = new SqliteDatabase(connector, dialect, clock);
        StoreCapabilities capabilities =
                new StoreCapabilities(connector.store(), StoreCapabilities.Reach.MACHINE, true, maxLease, PRECISION, 1);
        PollingFeed feed = new PollingFeed(database, database::mayHaveChanged, environment, "interlock-sqlite-feed");
        return new SqlStore(
                database, () -> capabilities, feed, new SqliteFastPath(database, dialect, feed), environment);
    }
}
