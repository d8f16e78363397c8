package io.interlock.store.sqlite;

import io.interlock.store.sql.Database;
import io.interlock.store.sql.Dialect.SqlFailure;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.Transaction;
import io.interlock.store.sql.Trip;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConnection;

/**
 * A connection on which transactions are made one after the other. After an error it is opened anew, so one bad moment of the
 * disk costs the calls it meets and no later ones. An interrupt does not disturb a transaction under way. Not safe for use by
 * many threads at once.
 */
final class ReopeningConnection implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReopeningConnection.class);

    private static final int MOST_ATTEMPTS = 5;

    private static final List<String> READS = List.of("BEGIN DEFERRED");
    static final List<String> WRITES = List.of("BEGIN IMMEDIATE");

    /** How long a write transaction takes on new requests. */
    private static final long LONG = TimeUnit.MILLISECONDS.toNanos(10);

    /** What a writer keeps of the clock, so that the store's time never goes back. */
    private static final String KEEP_TIME = "UPDATE ${t:store} SET uptime = ? WHERE uptime < ? AND boot_id = ?";

    private final FileConnector connector;
    private final StoreClock clock;
    private @Nullable SqlConnection connection;

    ReopeningConnection(FileConnector connector, StoreClock clock) {
        this.connector = connector;
        this.clock = clock;
    }

    /** Something done on the connection, outside of transactions. */
    @FunctionalInterface
    interface Use<T> {
        T run(SqlConnection connection) throws SQLException;
    }

    /** Does {@code work} on one unchanging state of the file, without keeping writers out. */
    <T> T read(Database.Work<T> work) {
        return use(open -> attempt(open, null, 1, work));
    }

    /**
     * Does {@code work} as the only writer, and makes what it wrote last, or none of it. The write lock is taken at once: a
     * transaction that reads first and wants to write later fails whenever another one has written in between.
     */
    <T> T write(WaitDeadline patience, Database.Work<T> work) {
        return use(open -> {
            open.jdbc().unwrap(SQLiteConnection.class).setBusyTimeout(patience.leftMillis());
            for (int attempt = 1; ; attempt++) {
                try {
                    return attempt(open, patience, attempt, work);
                } catch (SQLException failure) {
                    if (open.dialect().failureOf(failure) != SqlFailure.DUPLICATE || attempt == MOST_ATTEMPTS) {
                        throw failure;
                    }
                }
            }
        });
    }

    /**
     * Uses the connection.
     *
     * @throws io.interlock.StoreUnavailableException if SQLite reports any error; never is one taken for an answer
     */
    <T> T use(Use<T> use) {
        try {
            SqlConnection open = connection;
            if (open == null || open.jdbc().isClosed()) {
                open = connector.open();
                connection = open;
            }
            connector.check(open);
            return use.run(open);
        } catch (SQLException failure) {
            if (!SqliteErrors.isBusy(failure)) {
                close();
            }
            throw SqliteErrors.unavailable(connector.store(), failure);
        }
    }

    @Override
    public void close() {
        SqlConnection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException failure) {
                log.warn("store {}: a connection did not close: {}", connector.store(), failure.toString());
            }
        }
    }

    private <T> T attempt(SqlConnection open, @Nullable WaitDeadline writer, int attempt, Database.Work<T> work)
            throws SQLException {
        OpenTransaction transaction = new OpenTransaction(open, writer, attempt);
        transaction.begin();
        return transaction.run(work);
    }

    private final class OpenTransaction extends Transaction {

        private final @Nullable WaitDeadline patience;
        private long leftAtBegin;

        OpenTransaction(SqlConnection connection, @Nullable WaitDeadline patience, int attempt) {
            super(connector.store(), connection, patience != null, patience == null ? READS : WRITES, attempt, 0);
            this.patience = patience;
        }

        void begin() throws SQLException {
            trip().run();
            leftAtBegin = patience == null ? 0 : patience.leftNanos();
        }

        @Override
        public boolean isLong() {
            return patience != null && leftAtBegin - patience.leftNanos() > LONG;
        }

        @Override
        protected void beforeCommit(Trip last) {
            if (writes()) {
                StoreClock.Uptime uptime = clock.latest();
                last.update(KEEP_TIME, uptime.micros(), uptime.micros(), uptime.bootId());
            }
        }
    }
}
