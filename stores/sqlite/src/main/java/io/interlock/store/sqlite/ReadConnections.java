package io.interlock.store.sqlite;

import io.interlock.store.sql.Database;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The connections that only read: they wait for no writer, and up to {@link #MOST} calls read at the same time. The one used
 * last is used first. Safe for use by many threads.
 */
final class ReadConnections implements AutoCloseable {

    static final int MOST = 4;

    private final FileConnector connector;
    private final StoreClock clock;
    private final Semaphore free = new Semaphore(MOST, true);
    private final Deque<ReopeningConnection> idle = new ArrayDeque<>();
    private boolean closed;

    ReadConnections(FileConnector connector, StoreClock clock) {
        this.connector = connector;
        this.clock = clock;
    }

    <T> T read(Database.Work<T> work) {
        enter(connector.patience());
        try {
            ReopeningConnection connection = take();
            try {
                return connection.read(work);
            } finally {
                giveBack(connection);
            }
        } finally {
            free.release();
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

    private void enter(WaitDeadline patience) {
        if (free.tryAcquire()) {
            return;
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (free.tryAcquire(patience.leftNanos(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw patience.tooLate();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
