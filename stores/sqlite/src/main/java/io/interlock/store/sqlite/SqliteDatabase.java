package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import io.interlock.store.sql.Database;
import io.interlock.store.sql.Dialect;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.Trip;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The ways to the file of one store. Calls that write wait for their turn in this process, urgent ones first, and then for the
 * turn of this process among others; reads have connections of their own and wait for no writer. Interrupting a caller
 * has no effect until its call is over. Safe for use by many threads.
 */
final class SqliteDatabase implements Database {

    private final FileConnector connector;
    private final SqliteDialect dialect;
    private final CallQueue queue = new CallQueue(1);
    private final TurnFile turns;
    private final ReopeningConnection writer;
    private final Readers readers;
    private final DataVersion version;
    private volatile boolean closed;

    SqliteDatabase(FileConnector connector, SqliteDialect dialect, StoreClock clock) {
        this.connector = connector;
        this.dialect = dialect;
        turns = connector.turns();
        writer = new ReopeningConnection(connector, clock);
        readers = new Readers(connector, clock);
        version = new DataVersion(new ReopeningConnection(connector, clock));
    }

    @Override
    public String store() {
        return connector.store();
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    @Override
    public boolean hasOneWriter() {
        return true;
    }

    @Override
    public <T> T write(Lane lane, Work<T> work) {
        WaitDeadline patience = connector.patience();
        queue.enter(lane, patience);
        try {
            requireOpen();
            turns.take(patience);
            try {
                return writer.write(patience, work);
            } finally {
                turns.giveBack();
            }
        } finally {
            queue.leave();
        }
    }

    @Override
    public <T> T read(Work<T> work) {
        requireOpen();
        return readers.read(work);
    }

    /** Whether another connection has committed anything. */
    boolean mayHaveChanged() {
        return version.mayHaveChanged();
    }

    @Override
    public void close() {
        closed = true;
        readers.close();
        version.close();
        // The call that is writing ends first; those that wait find that the store is closed.
        queue.enter(Lane.URGENT, connector.patience());
        try {
            writer.close();
            turns.close();
        } finally {
            queue.leave();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreUnavailableException(store(), "is closed in this process; open it again");
        }
    }

    /**
     * The connections that only read: they wait for no writer, and up to {@link #MOST} calls read at the same time. The one used
     * last is used first. Safe for use by many threads.
     */
    private static final class Readers implements AutoCloseable {

        static final int MOST = 4;

        private final FileConnector connector;
        private final StoreClock clock;
        private final CallQueue queue = new CallQueue(MOST);
        private final Deque<ReopeningConnection> idle = new ArrayDeque<>();
        private boolean closed;

        Readers(FileConnector connector, StoreClock clock) {
            this.connector = connector;
            this.clock = clock;
        }

        <T> T read(Database.Work<T> work) {
            queue.enter(Lane.STEPS, connector.patience());
            try {
                ReopeningConnection connection = take();
                try {
                    return connection.read(work);
                } finally {
                    giveBack(connection);
                }
            } finally {
                queue.leave();
            }
        }

        @Override
        public void close() {
            synchronized (idle) {
                closed = true;
                idle.forEach(ReopeningConnection::close);
                idle.clear();
            }
        }

        private ReopeningConnection take() {
            synchronized (idle) {
                return idle.isEmpty() ? new ReopeningConnection(connector, clock) : idle.pop();
            }
        }

        private void giveBack(ReopeningConnection connection) {
            synchronized (idle) {
                if (closed) {
                    connection.close();
                } else {
                    idle.push(connection);
                }
            }
        }
    }

    /**
     * A number that SQLite changes with every commit of another connection, so that a feed need not look at tables to hear that there
     * is nothing new. Safe for use by many threads.
     */
    private static final class DataVersion implements AutoCloseable {

        private final ReopeningConnection connection;
        private @Nullable SqlConnection seenOn;
        private long seen;
        private boolean closed;

        DataVersion(ReopeningConnection connection) {
            this.connection = connection;
        }

        synchronized boolean mayHaveChanged() {
            return !closed && connection.use(this::isNew);
        }

        private boolean isNew(SqlConnection open) throws SQLException {
            long version = open.trip().ask("PRAGMA data_version", Trip.NUMBER);
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
}
