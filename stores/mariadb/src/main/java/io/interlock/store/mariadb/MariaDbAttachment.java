package io.interlock.store.mariadb;

import io.interlock.store.sql.Attachment;
import io.interlock.store.sql.ServerDialect.Server;
import io.interlock.store.sql.ServerSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What must be true of a MariaDB server before it is used: it keeps what it acknowledges, it may be written to, its row locks hold
 * for all who use it, and as far as can be seen it is the one the store was on before.
 *
 * <p>A server is known by its id, host, port and data directory: MariaDB has no timeline and no name for its data. A failover to
 * a replica is noticed, a backup restored in place of the data is not; bump the epoch after that. Safe for use by many threads.
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

    MariaDbAttachment(ServerSettings settings, MariaDbDialect dialect) {
        super(settings, dialect);
    }

    @Override
    public void requireSafe(Connection connection) throws SQLException {
        Map<String, String> variables = variables(connection);
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

    private static Map<String, String> variables(Connection connection) throws SQLException {
        Map<String, String> found = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(VARIABLES)) {
            while (rows.next()) {
                found.put(rows.getString(1), rows.getString(2));
            }
        }
        return found;
    }

    @Override
    protected Server server(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SERVER)) {
            row.next();
            return new Server(row.getString(1), row.getLong(2));
        }
    }

    @Override
    protected boolean isSame(Server known, Server found) {
        return known.identity().equals(found.identity())
                && Math.abs(known.startedAt() - found.startedAt()) < STARTED_MICROS;
    }
}
