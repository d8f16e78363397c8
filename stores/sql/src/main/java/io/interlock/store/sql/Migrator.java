package io.interlock.store.sql;

import io.interlock.UnsafeStoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the tables of a store to the version this program knows, or says why it will not.
 *
 * <p>All pending steps are one transaction where the database allows it, and any number of processes may start at once. What was applied is kept with
 * its checksum in the table {@code migration}; a schema newer than this program, or a step that was edited after it was
 * applied, is refused and left as it is. Not safe for use by many threads: each has its own connection.
 */
public final class Migrator {

    private static final Logger log = LoggerFactory.getLogger(Migrator.class);

    /** How a database lets one process at a time change its schema. */
    @FunctionalInterface
    public interface Lock {

        /**
         * Runs {@code work}, if the database can, in one transaction, while no other process runs any: commits if it returns,
         * rolls back if it throws. The schema that the tables live in is there when {@code work} begins.
         */
        void alone(Connection connection, Work work) throws SQLException;
    }

    @FunctionalInterface
    public interface Work {

        void run() throws SQLException;
    }

    private final String store;
    private final TableNames names;
    private final List<Migration> migrations;
    private final InstantSource clock;

    /**
     * A migrator for one store.
     *
     * @param store which store, for messages, without secrets
     * @param migrations all steps this program knows, in order
     */
    public Migrator(String store, TableNames names, List<Migration> migrations, InstantSource clock) {
        this.store = store;
        this.names = names;
        this.migrations = List.copyOf(migrations);
        this.clock = clock;
    }

    /**
     * Does what {@code mode} says. If nothing is pending, nothing is written and {@code lock} is not taken.
     *
     * @throws UnsafeStoreException if the schema is newer than this program, was edited, or is behind and may not be changed
     */
    public void run(SchemaMode mode, Connection connection, Lock lock) throws SQLException {
        if (mode == SchemaMode.NONE) {
            return;
        }
        List<Migration> pending = pending(connection);
        if (pending.isEmpty()) {
            return;
        }
        if (mode == SchemaMode.VALIDATE) {
            throw new UnsafeStoreException(
                    store,
                    "lacks the migrations " + pending,
                    "open it once with " + SchemaMode.OPTION + "=apply by a user who may create tables");
        }
        // Another process may have been faster: what is pending is known only under the lock.
        List<Migration> done = new ArrayList<>();
        lock.alone(connection, () -> {
            done.addAll(pending(connection));
            apply(connection, done);
        });
        if (!done.isEmpty()) {
            log.info("store {}: applied the migrations {}", store, done);
        }
    }

    private List<Migration> pending(Connection connection) throws SQLException {
        SortedMap<Integer, String> applied = applied(connection);
        int known =
                migrations.isEmpty() ? 0 : migrations.get(migrations.size() - 1).version();
        int found = applied.isEmpty() ? 0 : applied.lastKey();
        if (found > known) {
            throw new UnsafeStoreException(
                    store,
                    "has schema version " + found + "; this program knows " + known + " and no later one",
                    "use the newer program that changed the schema, or restore the backup made before that");
        }
        for (Migration migration : migrations) {
            String then = applied.get(migration.version());
            if (then != null && !then.equals(migration.checksum())) {
                throw new UnsafeStoreException(
                        store,
                        "was given migration " + migration + " in another wording (checksum " + then + ", here "
                                + migration.checksum() + ")",
                        "use the program that created the tables, or another " + TableNames.PREFIX_OPTION);
            }
        }
        return migrations.stream()
                .filter(migration -> !applied.containsKey(migration.version()))
                .toList();
    }

    private SortedMap<Integer, String> applied(Connection connection) throws SQLException {
        SortedMap<Integer, String> applied = new TreeMap<>();
        if (!hasTable(connection)) {
            return applied;
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT version, checksum FROM " + names.table("migration"))) {
            while (rows.next()) {
                applied.put(rows.getInt(1), rows.getString(2));
            }
        }
        return applied;
    }

    // Asked of the catalogue, because a failed SELECT would spoil a PostgreSQL transaction.
    private boolean hasTable(Connection connection) throws SQLException {
        String table = names.prefix() + "migration";
        try (ResultSet tables = connection.getMetaData().getTables(connection.getCatalog(), null, table, null)) {
            while (tables.next()) {
                String schema = tables.getString("TABLE_SCHEM");
                // The name is a pattern to JDBC, in which an underscore stands for any character.
                boolean here = schema == null || names.schema() == null || schema.equals(names.schema());
                if (table.equals(tables.getString("TABLE_NAME")) && here) {
                    return true;
                }
            }
            return false;
        }
    }

    private void apply(Connection connection, List<Migration> pending) throws SQLException {
        if (pending.isEmpty()) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS " + names.table("migration")
                            + " (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at text NOT NULL)");
            for (Migration migration : pending) {
                for (String sql : migration.statements(names)) {
                    statement.execute(sql);
                }
                note(connection, migration);
            }
        }
    }

    private void note(Connection connection, Migration migration) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + names.table("migration")
                + " (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)")) {
            insert.setInt(1, migration.version());
            insert.setString(2, migration.name());
            insert.setString(3, migration.checksum());
            insert.setString(4, clock.instant().toString());
            insert.executeUpdate();
        }
    }
}
