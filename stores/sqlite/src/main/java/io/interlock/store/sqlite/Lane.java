package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that many threads use in turn. After an error it is opened anew, so one bad moment of the disk costs the
 * calls it meets and no later ones. An interrupt does not disturb a step under way.
 */
final class Lane implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Lane.class);

    private final Connector connector;
    private final ReentrantLock writers;
    private final ReentrantLock turn = new ReentrantLock(true);
    private @Nullable Session session;
    private boolean closed;

    /**
     * A lane of a store.
     *
     * @param writers what all lanes of the store queue at before they write; in SQLite itself a writer that finds another
     *     one at work sleeps and tries again, in no order
     */
    Lane(Connector connector, ReentrantLock writers) {
        this.connector = connector;
        this.writers = writers;
    }

    /** See {@link Session#reading}. */
    <T> T read(Session.Work<T> work) {
        return run(open -> open.reading(work));
    }

    /** See {@link Session#writing}. */
    <T> T write(Session.Work<T> work) {
        Patience patience = connector.patience();
        return run(patience, open -> {
            patience.lock(writers);
            try {
                open.waitAtMost(patience.leftMillis());
                return open.writing(work);
            } finally {
                writers.unlock();
            }
        });
    }

    /**
     * Runs {@code work} without a transaction around it.
     *
     * @throws StoreUnavailableException if SQLite reports any error; never is one taken for an answer
     */
    <T> T run(Session.Work<T> work) {
        return run(connector.patience(), work);
    }

    private <T> T run(Patience patience, Session.Work<T> work) {
        patience.lock(turn);
        try {
            Session open = session();
            connector.check(open);
            return work.run(open);
        } catch (SQLException failure) {
            if (!SqliteErrors.isBusy(failure)) {
                drop();
            }
            throw SqliteErrors.unavailable(connector.store(), failure);
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void close() {
        turn.lock();
        try {
            closed = true;
            drop();
        } finally {
            turn.unlock();
        }
    }

    private Session session() throws SQLException {
        if (closed) {
            throw new StoreUnavailableException(connector.store(), "is closed in this process; open it again");
        }
        Session open = session;
        if (open == null || open.connection().isClosed()) {
            open = connector.open();
            session = open;
        }
        return open;
    }

    private void drop() {
        Session open = session;
        session = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException failure) {
                log.warn("store {}: a connection did not close: {}", connector.store(), failure.toString());
            }
        }
    }
}
