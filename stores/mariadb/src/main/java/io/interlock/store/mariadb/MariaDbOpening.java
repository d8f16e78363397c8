package io.interlock.store.mariadb;

import io.interlock.UnsafeStoreException;
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

/** The first contact with MariaDB. Statements that change tables commit by themselves; they are such that may be run again. */
final class MariaDbOpening extends ServerOpening {

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

    MariaDbOpening(
            ServerSettings settings, MariaDbDialect dialect, MariaDbAttachment attachment, Environment environment) {
        super(settings, dialect, attachment, environment);
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
        try (Statement setting = connection.createStatement();
                PreparedStatement lock = connection.prepareStatement(LOCK)) {
            setting.execute("SET max_statement_time = 0, lock_wait_timeout = " + MIGRATION.toSeconds());
            lock.setString(1, settings().names().prefix());
            lock.setLong(2, MIGRATION.toSeconds());
            try (ResultSet row = lock.executeQuery()) {
                if (!row.next() || row.getInt(1) != 1) {
                    throw new SQLException("another process changes the tables");
                }
            }
        }
    }

    @Override
    protected void checkTables(Connection connection) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(OTHER_ENGINES)) {
            look.setString(1, settings().names().prefix());
            look.setString(2, settings().names().prefix());
            try (ResultSet row = look.executeQuery()) {
                if (row.next()) {
                    throw new UnsafeStoreException(
                            settings().store(),
                            "has the table " + row.getString(1) + " in " + row.getString(2)
                                    + ", which has no row locks",
                            "convert it: ALTER TABLE " + row.getString(1) + " ENGINE = InnoDB");
                }
            }
        }
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
