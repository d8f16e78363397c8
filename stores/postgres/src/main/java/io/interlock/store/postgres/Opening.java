package io.interlock.store.postgres;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.store.sql.Loan;
import io.interlock.store.sql.Migration;
import io.interlock.store.sql.MigrationLock;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The first contact with a database: is it safe, are the tables there, is it the server we know. */
final class Opening {

    private static final List<Migration> MIGRATIONS = Migration.load(Opening.class, "001_store.sql");

    private static final Logger log = LoggerFactory.getLogger(Opening.class);
    private static final int MIGRATION_MILLIS = (int) Duration.ofMinutes(10).toMillis();

    private final ServerSettings settings;
    private final PostgresDialect dialect;
    private final PostgresAttachment attachment;
    private final Environment environment;

    Opening(ServerSettings settings, PostgresDialect dialect, PostgresAttachment attachment, Environment environment) {
        this.settings = settings;
        this.dialect = dialect;
        this.attachment = attachment;
        this.environment = environment;
    }

    /**
     * Does all of it on one connection, which is given back afterwards.
     *
     * @throws InterlockException of the kind that says what is wrong
     */
    void run(DataSource connections) {
        try (Loan loan = Loan.from(connections, dialect)) {
            Connection connection = loan.connection();
            loan.limit(settings.timeoutMillis());
            attachment.requireSafe(connection);
            new Migrator(settings.store(), settings.names(), MIGRATIONS, environment.clock())
                    .run(settings.migrate(), connection, lock(loan));
            attachment.attach(connection);
        } catch (SQLException refused) {
            throw explain(refused);
        }
    }

    // Another process may be at it, and tables may be large: both take longer than a step may.
    private MigrationLock lock(Loan loan) {
        return (connection, work) -> {
            loan.limit(MIGRATION_MILLIS);
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
            loan.limit(settings.timeoutMillis());
        };
    }

    // Of the whole schema, because it may have to be created, too.
    private void waitForOthers(Connection connection) throws SQLException {
        long number = KeyHash.of("interlock migration of " + settings.names().schema());
        try (Statement statement = connection.createStatement()) {
            try (ResultSet alone = statement.executeQuery("SELECT pg_try_advisory_xact_lock(" + number + ")")) {
                if (alone.next() && alone.getBoolean(1)) {
                    return;
                }
            }
            log.info("store {}: another process changes the tables; waiting for it", settings.store());
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
            look.setString(1, settings.names().schema());
            try (ResultSet found = look.executeQuery()) {
                if (found.next()) {
                    return;
                }
            }
        }
        try (Statement create = connection.createStatement()) {
            create.execute("CREATE SCHEMA IF NOT EXISTS \"" + settings.names().schema() + '"');
        }
    }

    private InterlockException explain(SQLException error) {
        String said = error.getMessage();
        String state = PostgresDialect.stateOf(error);
        return switch (state) {
            case "28P01", "28000", "08004" ->
                InvalidSettingException.forbidden(
                        "store",
                        settings.store(),
                        "does not let us in: " + said,
                        "check user, password and sslmode in the URL, and pg_hba.conf on the server");
            case "3D000" ->
                new InvalidSettingException(
                        "store", settings.store(), "names no database: " + said, "create it, or correct the URL");
            case "42501" ->
                InvalidSettingException.forbidden(
                        "store",
                        settings.store(),
                        "does not allow what is needed: " + said,
                        "grant the right, or open the store once with a role that has it and " + SchemaMode.OPTION
                                + "=apply and use " + SchemaMode.OPTION + "=none here");
            case "25006" ->
                new UnsafeStoreException(
                        settings.store(),
                        "does not allow what is needed: " + said,
                        "grant the right, or name a server, a database and a role that may write");
            case "42P01", "42883", "3F000", "P0002" ->
                new UnsafeStoreException(
                        settings.store(),
                        "has no tables " + settings.names().schema() + "."
                                + settings.names().prefix() + "… of this version: " + said,
                        "open it once with " + SchemaMode.OPTION + "=apply, or correct schema and prefix in the URL");
            case "08001", "08006" ->
                new StoreUnavailableException(
                        settings.store(),
                        "cannot be reached: " + innermost(error)
                                + "; check host and port in the URL, and that PostgreSQL runs there",
                        error);
            default -> new StoreUnavailableException(settings.store(), "could not be opened: " + said, error);
        };
    }

    // "The connection attempt failed" does not help; that the host is unknown does.
    private static String innermost(SQLException error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return (cause instanceof UnknownHostException ? "unknown host " : "") + cause.getMessage();
    }
}
