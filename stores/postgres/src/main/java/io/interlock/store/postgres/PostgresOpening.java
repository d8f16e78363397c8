package io.interlock.store.postgres;

import io.interlock.store.sql.Migration;
import io.interlock.store.sql.Migrator;
import io.interlock.store.sql.ServerOpening;
import io.interlock.store.sql.ServerSettings;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The first contact with PostgreSQL. All changes of the tables are one transaction. */
final class PostgresOpening extends ServerOpening {

    private static final Logger log = LoggerFactory.getLogger(PostgresOpening.class);

    private static final Migration.Words WORDS = new Migration.Words(
            "postgres",
            Map.ofEntries(
                    Map.entry("create", "CREATE TABLE"),
                    Map.entry("index", "CREATE INDEX"),
                    Map.entry("on", "ON ${schema}.${prefix}"),
                    Map.entry("only", "WHERE %s"),
                    Map.entry("then", ", %s"),
                    Map.entry("rows", ""),
                    Map.entry("numberedRows", ""),
                    Map.entry("numbered", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
                    Map.entry("small", "smallint"),
                    Map.entry("int", "integer"),
                    Map.entry("big", "bigint"),
                    Map.entry("uuid", "uuid"),
                    Map.entry("key", "text COLLATE \"C\""),
                    Map.entry("text", "text"),
                    Map.entry("long", "text")));

    PostgresOpening(
            ServerSettings settings, PostgresDialect dialect, PostgresAttachment attachment, Environment environment) {
        super(settings, dialect, attachment, environment);
    }

    @Override
    protected String product() {
        return "PostgreSQL";
    }

    @Override
    protected Migration.Words words() {
        return WORDS;
    }

    @Override
    protected void alone(Connection connection, Migrator.Work work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            waitForOthers(connection);
            createSchema(connection);
            work.run();
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException | RuntimeException failure) {
            undo(connection, failure);
            throw failure;
        }
    }

    // Of the whole schema, because it may have to be created, too.
    private void waitForOthers(Connection connection) throws SQLException {
        long number = KeyHash.of("interlock migration of " + settings().names().schema());
        try (Statement statement = connection.createStatement()) {
            try (ResultSet alone = statement.executeQuery("SELECT pg_try_advisory_xact_lock(" + number + ")")) {
                if (alone.next() && alone.getBoolean(1)) {
                    return;
                }
            }
            log.info(
                    "store {}: another process changes the tables; waiting for it",
                    settings().store());
            statement.execute("SELECT pg_advisory_xact_lock(" + number + ")");
        }
    }

    private static void undo(Connection connection, Exception failure) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException broken) {
            failure.addSuppressed(broken);
        }
    }

    // Asked first, because IF NOT EXISTS needs the right to create even when there is nothing to create.
    private void createSchema(Connection connection) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement("SELECT FROM pg_namespace WHERE nspname = ?")) {
            look.setString(1, settings().names().schema());
            try (ResultSet found = look.executeQuery()) {
                if (found.next()) {
                    return;
                }
            }
        }
        try (Statement create = connection.createStatement()) {
            create.execute("CREATE SCHEMA IF NOT EXISTS \"" + settings().names().schema() + '"');
        }
    }

    @Override
    protected Failure failure(SQLException error) {
        return switch (PostgresDialect.stateOf(error)) {
            case "28P01", "28000", "08004" -> Failure.LOGIN;
            case "3D000" -> Failure.DATABASE;
            case "42501" -> Failure.RIGHTS;
            case "25006" -> Failure.READ_ONLY;
            case "42P01", "42883", "3F000", "P0002" -> Failure.TABLES;
            case "08001", "08006" -> Failure.UNREACHABLE;
            default -> Failure.OTHER;
        };
    }
}
