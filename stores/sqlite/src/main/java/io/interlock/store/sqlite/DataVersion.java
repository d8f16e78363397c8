package io.interlock.store.sqlite;

import io.interlock.store.sql.PollingFeed;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A number that SQLite changes with every commit of another connection, so that a feed need not look at tables to hear that there
 * is nothing new. Safe for use by many threads.
 */
final class DataVersion implements PollingFeed.Changes {

    private final ReopeningConnection connection;
    private @Nullable FileConnection seenOn;
    private long seen;
    private boolean closed;

    DataVersion(ReopeningConnection connection) {
        this.connection = connection;
    }

    @Override
    public synchronized boolean mayHaveHappened() {
        return !closed && connection.use(this::isNew);
    }

    private boolean isNew(FileConnection open) throws SQLException {
        long version = open.query("PRAGMA data_version", rows -> rows.next() ? rows.getLong(1) : 0L);
        // The number means something only to the connection that read it.
        boolean same = open == seenOn && version == seen;
        seenOn = open;
        seen = version;
        return !same;
    }

    @Override
    public synchronized void close() {
        closed = true;
        connection.close();
    }
}
