package io.interlock.store.mariadb;

import io.interlock.UnsafeStoreException;
import io.interlock.store.sql.Attachment;
import io.interlock.store.sql.Migration;
import io.interlock.store.sql.Migrator;
import io.interlock.store.sql.ServerDialect.Server;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.Trip;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What must be true of a MariaDB server before it is used: it keeps what it acknowledges, it may be written to, its row locks hold
 * for all who use it, and as far as can be seen it is the one the store was on before.
 *
 * <p>A server is known by its id, host, port and data directory: MariaDB has no timeline and no name for its data. A failover to
 * a replica is noticed, a backup restored in place of the data is not; bump the epoch after that.
 *
 * <p>Statements that change tables commit by themselves; they are such that may be run again. Safe for use by many threads.
 */
final class MariaDbAttachment extends Attachment {

    private static final String VARIABLES = """
            SHOW VARIABLES WHERE Variable_name IN ('version', 'read_only', 'innodb_read_only', 'innodb_doublewrite',
              'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'log_bin', 'sync_binlog', 'wsrep_on', 'tx_isolation',
              'time_zone')""";
    private static final String SERVER = "SELECT " + MariaDbDialect.IDENTITY + ", " + MariaDbDialect.CLOCK
            + " - 1000000 * CAST(u.VARIABLE_VALUE AS SIGNED) FROM information_schema.GLOBAL_STATUS AS u"
            + " WHERE u.VARIABLE_NAME = 'UPTIME'";

    /** How far two computations of when the server was started may be apart: it counts its time in whole seconds. */
    private static final long STARTED_MICROS = 2_000_000;

    private static final Set<String> OFF = Set.of("", "0", "OFF");

    private static final String ROWS = "ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";

    // Each statement is committed by itself, so each may be run again. There are no partial indexes.
    private static final Migration.Words WORDS = new Migration.Words(
            "mariadb",
            Map.ofEntries(
                    Map.entry("create", "CREATE TABLE IF NOT EXISTS"),
                    Map.entry("index", "CREATE INDEX IF NOT EXISTS"),
                    Map.entry("on", "ON ${prefix}"),
                    Map.entry("only", ""),
                    Map.entry("then", ", %s"),
                    Map.entry("rows", ROWS),
                    Map.entry("numberedRows", ROWS),
                    Map.entry("numbered", "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY"),
                    Map.entry("small", "smallint"),
                    Map.entry("int", "integer"),
                    Map.entry("big", "bigint"),
                    Map.entry("uuid", "char(36) CHARACTER SET ascii COLLATE ascii_bin"),
                    Map.entry("key", "varchar(%s)"),
                    Map.entry("text", "text"),
                    Map.entry("long", "mediumtext")));

    private static final String LOCK = "SELECT GET_LOCK(CONCAT('interlock ', MD5(CONCAT(DATABASE(), '/', ?))), ?)";
    private static final String OTHER_ENGINES = """
            SELECT t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES AS t
             WHERE t.TABLE_SCHEMA = DATABASE() AND LEFT(t.TABLE_NAME, CHAR_LENGTH(?)) = ? AND t.ENGINE <> 'InnoDB'""";

    MariaDbAttachment(ServerSettings settings, MariaDbDialect dialect) {
        super(settings, dialect);
    }

    @Override
    public void requireSafe(Connection connection) throws SQLException {
        Map<String, String> variables = new HashMap<>();
        trip(connection).ask(VARIABLES, Trip.forEach(row -> variables.put(row.getString(1), row.getString(2))));
        String version = variables.getOrDefault("version", "");
        require(
                version.contains("MariaDB") && isNew(connection),
                "is no MariaDB of version 10.6 or later, but " + version,
                "use such a server");
        for (String setting : Set.of("read_only", "innodb_read_only")) {
            require(
                    isOff(variables, setting),
                    "is a replica, or else read only: " + setting + "=" + variables.get(setting),
                    "connect to the primary");
        }
        MariaDbDialect.requireFlush(
                settings().store(), variables.getOrDefault("innodb_flush_log_at_trx_commit", "unknown"));
        require(
                !isOff(variables, "innodb_doublewrite"),
                "has innodb_doublewrite=OFF: a crash during a write could spoil a page of leases",
                "set innodb_doublewrite=ON and start the server again");
        require(
                !variables.getOrDefault("innodb_flush_method", "").endsWith("sync")
                        || variables.getOrDefault("innodb_flush_method", "").equals("fsync"),
                "has innodb_flush_method=" + variables.get("innodb_flush_method")
                        + ": a crash of the machine would lose leases that were granted",
                "leave innodb_flush_method as it is by default and start the server again");
        require(
                isOff(variables, "log_bin")
                        || variables.getOrDefault("sync_binlog", "").equals("1"),
                "has log_bin=ON and sync_binlog=" + variables.get("sync_binlog")
                        + ": a crash of the machine would lose leases that were granted",
                "set sync_binlog=1");
        require(
                isOff(variables, "wsrep_on"),
                "is a node of a Galera cluster, in which row locks hold on one node only",
                "use a server with ordinary replication");
        // The driver was told so; a proxy between might not pass it on.
        require(
                variables.getOrDefault("tx_isolation", "READ-COMMITTED").equals("READ-COMMITTED")
                        && variables.getOrDefault("time_zone", "").equals("+00:00"),
                "does not keep the settings of a session: " + variables,
                "connect to the server itself, or through a proxy that keeps them");
    }

    private static boolean isOff(Map<String, String> variables, String setting) {
        return OFF.contains(variables.getOrDefault(setting, ""));
    }

    private static boolean isNew(Connection connection) throws SQLException {
        int major = connection.getMetaData().getDatabaseMajorVersion();
        return major > 10 || (major == 10 && connection.getMetaData().getDatabaseMinorVersion() >= 6);
    }

    @Override
    protected Server server(Connection connection) throws SQLException {
        Trip.Reader<Server> read = row -> new Server(row.getString(1), row.getLong(2));
        return trip(connection).ask(SERVER, Trip.first(read)).orElseThrow();
    }

    @Override
    protected boolean isSame(Server known, Server found) {
        return known.identity().equals(found.identity())
                && Math.abs(known.startedAt() - found.startedAt()) < STARTED_MICROS;
    }

    @Override
    protected String product() {
        return "MariaDB";
    }

    @Override
    protected Migration.Words words() {
        return WORDS;
    }

    @Override
    protected void alone(Connection connection, Migrator.Work work) throws SQLException {
        waitForOthers(connection);
        work.run();
    }

    // The lock ends with the connection. Another process may be at it, and tables may be large: both take longer than a
    // step may.
    private void waitForOthers(Connection connection) throws SQLException {
        trip(connection).change("SET max_statement_time = 0, lock_wait_timeout = " + MIGRATION.toSeconds());
        if (trip(connection).ask(LOCK, Trip.NUMBER, settings().names().prefix(), MIGRATION.toSeconds()) != 1) {
            throw new SQLException("another process changes the tables");
        }
    }

    @Override
    protected void checkTables(Connection connection) throws SQLException {
        String prefix = settings().names().prefix();
        Trip.Taker refuse = row -> {
            throw new UnsafeStoreException(
                    settings().store(),
                    "has the table " + row.getString(1) + " in " + row.getString(2) + ", which has no row locks",
                    "convert it: ALTER TABLE " + row.getString(1) + " ENGINE = InnoDB");
        };
        trip(connection).ask(OTHER_ENGINES, Trip.forEach(refuse), prefix, prefix);
    }

    @Override
    protected Failure failure(SQLException error) {
        return switch (error.getErrorCode()) {
            case 1045, 1698 -> Failure.LOGIN;
            case 1049 -> Failure.DATABASE;
            case 1044, 1142, 1143, 1227, 1370 -> Failure.RIGHTS;
            case 1290, 1792 -> Failure.READ_ONLY;
            case 1146, 1054 -> Failure.TABLES;
            default -> isBroken(error) ? Failure.UNREACHABLE : Failure.OTHER;
        };
    }

    private static boolean isBroken(SQLException error) {
        String state = error.getSQLState();
        return state != null && state.startsWith("08");
    }
}
