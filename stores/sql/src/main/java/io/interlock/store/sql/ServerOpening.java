package io.interlock.store.sql;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.time.Environment;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The first contact with a database on a server: is it safe, are the tables there, is it the server we know. */
public abstract class ServerOpening {

    /** How long changing the tables may take. */
    protected static final Duration MIGRATION = Duration.ofMinutes(10);

    private final ServerSettings settings;
    private final ServerDialect dialect;
    private final Attachment attachment;
    private final Environment environment;

    /** The opening of a store with these parts. */
    protected ServerOpening(
            ServerSettings settings, ServerDialect dialect, Attachment attachment, Environment environment) {
        this.settings = settings;
        this.dialect = dialect;
        this.attachment = attachment;
        this.environment = environment;
    }

    /** Why a database refuses the store. */
    protected enum Failure {
        /** The user is not let in. */
        LOGIN,
        /** There is no such database. */
        DATABASE,
        /** The user may not do what is needed. */
        RIGHTS,
        /** It does not allow writing. */
        READ_ONLY,
        /** There are no tables, or other ones. */
        TABLES,
        /** No server answers. */
        UNREACHABLE,
        /** Anything else. */
        OTHER
    }

    /** The name of the product, for people. */
    protected abstract String product();

    /** What the schema is written in. */
    protected abstract Migration.Words words();

    /** Runs {@code work} while no other process changes the tables; see {@link Migrator.Lock#alone}. */
    protected abstract void alone(Connection connection, Migrator.Work work) throws SQLException;

    /**
     * Looks at the tables when they are there.
     *
     * @throws UnsafeStoreException if they must not be used
     */
    protected void checkTables(Connection connection) throws SQLException {
        // Most databases have no tables without row locks.
    }

    /** What an error means. */
    protected abstract Failure failure(SQLException error);

    /** How the store is used. */
    protected final ServerSettings settings() {
        return settings;
    }

    /**
     * Does all of it on one connection, which is given back afterwards.
     *
     * @throws InterlockException of the kind that says what is wrong
     */
    public final void run(DataSource connections) {
        try (Loan loan = Loan.from(connections, dialect)) {
            Connection connection = loan.connection();
            loan.limit(settings.timeoutMillis());
            attachment.requireSafe(connection);
            new Migrator(settings.store(), settings.names(), Migration.ofStore(words()), environment.clock())
                    .run(settings.migrate(), connection, (same, work) -> {
                        // Another process may be at it, and tables may be large: both take longer than a step may.
                        loan.limit((int) MIGRATION.toMillis());
                        alone(same, work);
                        loan.limit(settings.timeoutMillis());
                    });
            checkTables(connection);
            attachment.attach(connection);
        } catch (SQLException refused) {
            throw explain(refused);
        }
    }

    private InterlockException explain(SQLException error) {
        String store = settings.store();
        String said = error.getMessage();
        return switch (failure(error)) {
            case LOGIN ->
                InvalidSettingException.forbidden(
                        "store",
                        store,
                        "does not let us in: " + said,
                        "check user, password and encryption in the URL, and the accounts of the server");
            case DATABASE ->
                new InvalidSettingException(
                        "store", store, "names no database: " + said, "create it, or correct the URL");
            case RIGHTS ->
                InvalidSettingException.forbidden(
                        "store",
                        store,
                        "does not allow what is needed: " + said,
                        "grant the right, or open the store once with " + SchemaMode.OPTION
                                + "=apply by a user who has it and use " + SchemaMode.OPTION + "=none here");
            case READ_ONLY ->
                new UnsafeStoreException(
                        store, "is read only: " + said, "connect to the primary, or grant the right to write");
            case TABLES ->
                new UnsafeStoreException(
                        store,
                        "has no tables " + settings.names().readable() + "… of this version: " + said,
                        "open it once with " + SchemaMode.OPTION + "=apply, or correct schema and prefix in the URL");
            case UNREACHABLE ->
                new StoreUnavailableException(
                        store,
                        "cannot be reached: " + innermost(error) + "; check host and port in the URL, and that "
                                + product() + " runs there",
                        error);
            case OTHER -> new StoreUnavailableException(store, "could not be opened: " + innermost(error), error);
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
