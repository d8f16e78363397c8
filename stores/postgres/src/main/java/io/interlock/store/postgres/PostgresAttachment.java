package io.interlock.store.postgres;

import io.interlock.store.sql.Attachment;
import io.interlock.store.sql.Migration;
import io.interlock.store.sql.Migrator;
import io.interlock.store.sql.ServerDialect.Server;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.Trip;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must be true of a PostgreSQL server before it is used: it keeps what it acknowledges, it is the primary, and its timeline
 * is the one the store was on before. All changes of the tables are one transaction. Safe for use by many threads.
 */
final class PostgresAttachment extends Attachment {

    private static final Logger log = LoggerFactory.getLogger(PostgresAttachment.class);

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

    private volatile boolean systemIdentifierKnown = true;

    PostgresAttachment(ServerSettings settings, PostgresDialect dialect) {
        super(settings, dialect);
    }

    @Override
    public void requireSafe(Connection connection) throws SQLException {
        Trip.Reader<Boolean> check = row -> {
            row.next();
            require(
                    !row.getBoolean(1),
                    "is a replica, which may lag and cannot grant",
                    "connect to the primary, or name all servers as host:port,host:port");
            requireOn("fsync", row.getString(2), "a crash of the machine would lose leases that were granted");
            requireOn("full_page_writes", row.getString(3), "a crash during a write could spoil a page of leases");
            require(
                    row.getString(4).equals("read committed"),
                    "is used with the wrong isolation: default_transaction_isolation=" + row.getString(4),
                    "set default_transaction_isolation of role, database or pool to 'read committed'");
            // A weaker synchronous_commit does no harm: the steps switch it on for themselves.
            return true;
        };
        trip(connection).ask("""
                SELECT pg_is_in_recovery(), current_setting('fsync'), current_setting('full_page_writes'),
                       current_setting('default_transaction_isolation')""", check);
    }

    @Override
    protected Server server(Connection connection) throws SQLException {
        String system = systemIdentifier(connection);
        Trip.Reader<Server> read =
                row -> new Server((system == null ? "unknown" : system) + "/" + row.getString(2), row.getLong(1));
        String sql = "SELECT " + PostgresDialect.STARTED + ", substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
        return trip(connection).ask(sql, Trip.first(read)).orElseThrow();
    }

    private void requireOn(String setting, String value, String danger) {
        require(
                value.equals("on"),
                "has " + setting + "=" + value + ": " + danger,
                "set " + setting + "=on in postgresql.conf and reload");
    }

    // Some hosted servers keep it from ordinary roles. The timeline alone still shows a promotion.
    private @Nullable String systemIdentifier(Connection connection) throws SQLException {
        if (!systemIdentifierKnown) {
            return null;
        }
        try {
            String sql = "SELECT system_identifier::text FROM pg_control_system()";
            return trip(connection)
                    .ask(sql, Trip.first(row -> row.getString(1)))
                    .orElseThrow();
        } catch (SQLException error) {
            if (!"42501".equals(error.getSQLState())) {
                throw error;
            }
            systemIdentifierKnown = false;
            log.info(
                    "store {}: this role may not call pg_control_system(), so a store copied to another server is not"
                            + " noticed; after a restore, bump the epoch",
                    settings().store());
            return null;
        }
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
        together(connection, () -> {
            waitForOthers(connection);
            createSchema(connection);
            work.run();
        });
    }

    // Of the whole schema, because it may have to be created, too.
    private void waitForOthers(Connection connection) throws SQLException {
        long number = KeyHash.of("interlock migration of " + settings().names().schema());
        String lock = "SELECT pg_try_advisory_xact_lock(" + number + ")";
        if (!trip(connection).ask(lock, row -> row.next() && row.getBoolean(1))) {
            log.info(
                    "store {}: another process changes the tables; waiting for it",
                    settings().store());
            trip(connection).ask("SELECT pg_advisory_xact_lock(" + number + ")", ResultSet::next);
        }
    }

    // Asked first, because IF NOT EXISTS needs the right to create even when there is nothing to create.
    private void createSchema(Connection connection) throws SQLException {
        String schema = settings().names().schema();
        if (!trip(connection).ask("SELECT FROM pg_namespace WHERE nspname = ?", ResultSet::next, schema)) {
            trip(connection).change("CREATE SCHEMA IF NOT EXISTS \"" + schema + '"');
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
