package io.interlock.store.mariadb;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.store.sql.Loan;
import io.interlock.store.sql.Migration;
import io.interlock.store.sql.Migrator;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.ServerSettings;
import io.interlock.time.Environment;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** The first contact with a database: is it safe, are the tables there, is it the server we know. */
final class MariaDbOpening {

    private static final List<Migration> MIGRATIONS = Migration.load(MariaDbOpening.class, "001_store.sql");

    private static final Duration MIGRATION = Duration.ofMinutes(10);
    private static final String LOCK = "SELECT GET_LOCK(CONCAT('interlock ', MD5(CONCAT(DATABASE(), '/', ?))), ?)";
    private static final String OTHER_ENGINES = """
            SELECT t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES AS t
             WHERE t.TABLE_SCHEMA = DATABASE() AND LEFT(t.TABLE_NAME, CHAR_LENGTH(?)) = ? AND t.ENGINE <> 'InnoDB'""";

    private final ServerSettings settings;
    private final MariaDbDialect dialect;
    private final MariaDbAttachment attachment;
    private final Environment environment;

    MariaDbOpening(
            ServerSettings settings, MariaDbDialect dialect, MariaDbAttachment attachment, Environment environment) {
        this.settings = settings;
        this.dialect = dialect;
        this.attachment = attachment;
        this.environment = environment;
    }

    /**
     * Does all of it on one connection, which is closed afterwards.
     *
     * @throws InterlockException of the kind that says what is wrong
     */
    void run(DataSource connections) {
        try (Loan loan = Loan.from(connections, dialect)) {
            Connection connection = loan.connection();
            loan.limit(settings.timeoutMillis());
            attachment.requireSafe(connection);
            new Migrator(settings.store(), settings.names(), MIGRATIONS, environment.clock())
                    .run(settings.migrate(), connection, (same, work) -> {
                        loan.limit((int) MIGRATION.toMillis());
                        waitForOthers(same);
                        // Statements that change tables commit by themselves; they are such that may be run again.
                        work.run();
                        loan.limit(settings.timeoutMillis());
                    });
            requireInnoDb(connection);
            attachment.attach(connection);
        } catch (SQLException refused) {
            throw explain(refused);
        }
    }

    // The lock ends with the connection. Another process may be at it, and tables may be large: both take longer than a
    // step may.
    private void waitForOthers(Connection connection) throws SQLException {
        try (Statement setting = connection.createStatement();
                PreparedStatement lock = connection.prepareStatement(LOCK)) {
            setting.execute("SET max_statement_time = 0, lock_wait_timeout = " + MIGRATION.toSeconds());
            lock.setString(1, settings.names().prefix());
            lock.setLong(2, MIGRATION.toSeconds());
            try (ResultSet row = lock.executeQuery()) {
                if (!row.next() || row.getInt(1) != 1) {
                    throw new SQLException("another process changes the tables");
                }
            }
        }
    }

    private void requireInnoDb(Connection connection) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(OTHER_ENGINES)) {
            look.setString(1, settings.names().prefix());
            look.setString(2, settings.names().prefix());
            try (ResultSet row = look.executeQuery()) {
                if (row.next()) {
                    throw new UnsafeStoreException(
                            settings.store(),
                            "has the table " + row.getString(1) + " in " + row.getString(2)
                                    + ", which has no row locks",
                            "convert it: ALTER TABLE " + row.getString(1) + " ENGINE = InnoDB");
                }
            }
        }
    }

    private InterlockException explain(SQLException error) {
        String said = error.getMessage();
        return switch (error.getErrorCode()) {
            case 1045, 1698 ->
                InvalidSettingException.forbidden(
                        "store",
                        settings.store(),
                        "does not let us in: " + said,
                        "check user and password in the URL, and the accounts of the server");
            case 1049 ->
                new InvalidSettingException(
                        "store", settings.store(), "names no database: " + said, "create it, or correct the URL");
            case 1044, 1142, 1143, 1227, 1370 ->
                InvalidSettingException.forbidden(
                        "store",
                        settings.store(),
                        "does not allow what is needed: " + said,
                        "grant the right, or open the store once with " + SchemaMode.OPTION
                                + "=apply by a user who has it and use " + SchemaMode.OPTION + "=none here");
            case 1290, 1792 ->
                new UnsafeStoreException(settings.store(), "is read only: " + said, "connect to the primary");
            case 1146, 1054 ->
                new UnsafeStoreException(
                        settings.store(),
                        "has no tables " + settings.names().prefix() + "… of this version: " + said,
                        "open it once with " + SchemaMode.OPTION + "=apply, or correct the prefix in the URL");
            default ->
                new StoreUnavailableException(
                        settings.store(),
                        "cannot be reached or used: " + innermost(error)
                                + "; check host, port and sslMode in the URL, and that MariaDB runs there",
                        error);
        };
    }

    // That the connection failed says little; that the host is not known does.
    private static String innermost(SQLException error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return (cause instanceof UnknownHostException ? "unknown host " : "") + cause.getMessage();
    }
}
