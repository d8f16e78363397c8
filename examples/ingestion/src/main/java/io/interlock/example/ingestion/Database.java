package io.interlock.example.ingestion;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.StaleTokenException;
import io.interlock.locks.fencing.FencingGate;
import io.interlock.store.postgres.AdvisoryLatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;

/**
 * The database of the events: SQLite or PostgreSQL, by plain JDBC. Every transaction has its own connection, which is
 * never open during a fetch. Thread-safe.
 */
final class Database {

    /** The right to write: a key, and the token of its holder. */
    record Fence(LockKey key, FencingToken token) {}

    /** A transaction with a result. */
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /** A transaction without a result. */
    interface Step {
        void on(Connection connection) throws SQLException;
    }

    // A write-ahead log, so that readers do not wait for writers; a writer waits for others at its beginning, where
    // that is harmless.
    private static final String SQLITE = "?journal_mode=WAL&foreign_keys=true&busy_timeout=10000&transaction_mode=";

    private final String url;
    private final boolean sqlite;
    private final FencingGate gate = new FencingGate();

    private Database(String url) {
        this.url = url;
        this.sqlite = url.startsWith("jdbc:sqlite:");
    }

    /** The database at a JDBC URL, with its tables. */
    static Database open(String url) throws SQLException {
        Database database = new Database(url);
        database.latched(LockKey.of("ingestion/schema"), Database::makeTables);
        return database;
    }

    /**
     * Writes only for the current holder of the keys: an outdated holder is rejected before it writes anything.
     *
     * @throws StaleTokenException if one of the keys was granted again
     */
    void fenced(List<Fence> fences, Step step) throws SQLException {
        write(connection -> {
            for (Fence fence : fences) {
                gate.pass(connection, fence.key(), fence.token());
            }
            step.on(connection);
            return fences;
        });
    }

    /** Reads and then writes, exclusively under {@code key}. SQLite has one writer at a time anyway. */
    <T> T latched(LockKey key, Work<T> work) throws SQLException {
        return write(connection -> {
            if (!sqlite) {
                AdvisoryLatch.of(key).hold(connection);
            }
            return work.on(connection);
        });
    }

    /** Writes without a lock: a single row, or rows that never change. */
    <T> T write(Work<T> work) throws SQLException {
        try (Connection connection = connect("IMMEDIATE")) {
            T result = work.on(connection);
            connection.commit();
            return result;
        } // Closing without a commit takes everything back.
    }

    /** Reads one snapshot; readers and writers do not wait for each other. */
    <T> T read(Work<T> work) throws SQLException {
        try (Connection connection = connect("DEFERRED")) {
            if (!sqlite) {
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            }
            T result = work.on(connection);
            connection.rollback();
            return result;
        }
    }

    private Connection connect(String mode) throws SQLException {
        Connection connection = DriverManager.getConnection(sqlite ? url + SQLITE + mode : url);
        connection.setAutoCommit(false);
        return connection;
    }

    private static boolean makeTables(Connection connection) throws SQLException {
        FencingGate.createTable(connection);
        try (Statement statement = connection.createStatement()) {
            for (String sql : schema().split(";", -1)) {
                statement.execute(sql);
            }
            return true;
        }
    }

    private static String schema() {
        try (InputStream file = Objects.requireNonNull(Database.class.getResourceAsStream("schema.sql"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
