package io.interlock.store.sqlite;

import io.interlock.StoreCapabilities;
import io.interlock.time.Environment;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Leases and runs in one SQLite file, shared by any number of processes of one machine.
 *
 * <p>What was answered is on disk (write-ahead log, {@code synchronous=FULL}); a batch is one transaction and one sync. A
 * refusal only reads, and so does whoever asks for work when there is none. Every write transaction begins as the only
 * writer, and reads the clock after that. Any error of SQLite is a {@link io.interlock.StoreUnavailableException}, never an
 * answer about a key.
 *
 * <p>Time is the machine's time since boot: setting the wall clock neither shortens nor lengthens a lease, and after a
 * restart of the machine all leases are over, because all holders are.
 *
 * <p>The file is made with the permissions of the process's umask. Whoever can write to it can take every lease; whoever
 * can read it sees lease ids, which are secrets of their holders. Back it up with {@code VACUUM INTO}, never by copying.
 *
 * <p>This class is safe for use by many threads.
 */
public final class SqliteStore extends SqliteAccess {

    private SqliteStore(Lanes lanes, DataVersionFeed feed, StoreCapabilities capabilities) {
        super(lanes, feed, capabilities);
    }

    static SqliteStore open(SqliteSettings settings, Environment environment, HostClock host) {
        FileConnector connector = new FileConnector(settings, environment.ticker());
        StoreClock clock = new StoreClock(settings.store(), host, environment.clock());
        try (Session session = connector.openFirst()) {
            StoreState state = new Opening(settings, clock).run(session);
            return open(connector, environment, clock, Micros.duration(state.maxLease()));
        } catch (SQLException failure) {
            throw SqliteErrors.atOpening(settings.store(), failure);
        }
    }

    /** A store whose file is ready, reached in another way. */
    static SqliteStore open(Connector connector, Environment environment, StoreClock clock, Duration maxLease) {
        ReentrantLock writers = new ReentrantLock(true);
        return new SqliteStore(
                new Lanes(connector, writers, clock, environment.random()),
                new DataVersionFeed(new Lane(connector, writers), environment),
                new StoreCapabilities(
                        connector.store(), StoreCapabilities.Reach.MACHINE, true, maxLease, clock.precision()));
    }
}
