package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import io.interlock.store.sql.Database;
import io.interlock.store.sql.Dialect;

/**
 * The ways to the file of one store. Calls that write wait for their turn in this process, urgent ones first, and then for the
 * turn of this process among others; reads have connections of their own and wait for no writer. Interrupting a caller
 * has no effect until its call is over. Safe for use by many threads.
 */
final class SqliteDatabase implements Database {

    private final FileConnector connector;
    private final SqliteDialect dialect;
    private final WriteQueue queue = new WriteQueue();
    private final TurnFile turns;
    private final ReopeningConnection writer;
    private final ReadConnections readers;
    private volatile boolean closed;

    SqliteDatabase(FileConnector connector, SqliteDialect dialect, StoreClock clock) {
        this.connector = connector;
        this.dialect = dialect;
        turns = connector.turns();
        writer = new ReopeningConnection(connector, clock);
        readers = new ReadConnections(connector, clock);
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

    @Override
    public <T> T peek(Work<T> work) {
        return read(work);
    }

    @Override
    public <T> T once(Lane lane, Work<T> work) {
        return write(lane, work);
    }

    @Override
    public void close() {
        closed = true;
        readers.close();
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
}
