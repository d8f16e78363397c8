package io.interlock.store.sql;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.TokenLayout;
import io.interlock.store.sql.ServerDialect.Server;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ties a store to a database on a server. The first contact makes or checks the tables. What must be true of the server is checked on
 * every new connection: it keeps what it acknowledges, it may be written to, and it is the one the store was on before. If it is another one (promoted, restored, copied), leases may be
 * missing: then a new epoch begins and nothing is granted until all of them must be over.
 *
 * <p>Safe for use by many threads.
 */
public abstract class Attachment {

    private static final Logger log = LoggerFactory.getLogger(Attachment.class);

    private static final String READ = "SELECT s.server, s.server_started, s.epoch, s.max_lease FROM ${t:store} AS s";
    private static final String INSERT = """
            INSERT INTO ${t:store} (one, server, server_started, clock_offset, epoch, token_floor, max_lease, quiet_until,
                                    last_heard, heard_since)
            VALUES (1, ?, ?, 0, 0, 0, ?, 0, 0, 0)""";
    private static final String SET_MAX_LEASE = "UPDATE ${t:store} SET max_lease = ?";
    private static final String NOT_PLAIN = "UPDATE ${t:lease} SET plain = 0 WHERE plain = 1";
    private static final String QUIET_UNTIL = "SELECT s.quiet_until FROM ${t:store} AS s";
    private static final String GREATEST_TOKEN = """
            SELECT greatest((SELECT coalesce(max(l.token), 0) FROM ${t:lease} AS l),
                            (SELECT coalesce(max(s.token_floor), 0) FROM ${t:store} AS s))""";

    /** How long changing the tables may take. */
    protected static final Duration MIGRATION = Duration.ofMinutes(10);

    private final ServerSettings settings;
    private final ServerDialect dialect;
    private volatile Duration maxLease;

    /** Ties a store to servers that say it in {@code dialect}. */
    protected Attachment(ServerSettings settings, ServerDialect dialect) {
        this.settings = settings;
        this.dialect = dialect;
        this.maxLease = settings.maxLease();
    }

    protected final ServerSettings settings() {
        return settings;
    }

    final ServerDialect dialect() {
        return dialect;
    }

    /** What the store can do: the longest lease is the longest that any client of it was opened with. */
    public final StoreCapabilities capabilities() {
        return new StoreCapabilities(
                settings.store(),
                StoreCapabilities.Reach.NETWORK,
                true,
                maxLease,
                Micros.duration(1),
                PooledDatabase.PARALLEL_BATCHES);
    }

    /**
     * Refuses a server that may lose what it acknowledged.
     *
     * @throws UnsafeStoreException naming the setting
     */
    public abstract void requireSafe(Connection connection) throws SQLException;

    /** Refuses the server unless a condition is met. */
    protected final void require(boolean met, String problem, String remedy) {
        if (!met) {
            throw new UnsafeStoreException(settings.store(), problem, remedy);
        }
    }

    protected abstract Server server(Connection connection) throws SQLException;

    /** Whether a server is the one that was known before, and was not started again since. */
    protected boolean isSame(Server known, Server found) {
        return known.equals(found);
    }

    /** Ties the store to the server behind {@code connection}, and tells the log if it was another one before. */
    public final void attach(Connection connection) throws SQLException {
        Server server = server(connection);
        SqlConnection session = session(connection);
        StoreFacts known = read(session);
        if (known == null || !isSame(known.server(), server) || known.maxLease() < Micros.of(maxLease)) {
            known = alone(session, server);
        }
        maxLease = Micros.duration(Math.max(known.maxLease(), Micros.of(maxLease)));
        dialect.attachedTo(known.server());
    }

    private SqlConnection session(Connection connection) {
        return new SqlConnection(connection, dialect, settings.patienceMillis());
    }

    /** A trip on a connection that is no step's. */
    protected final Trip trip(Connection connection) {
        return session(connection).trip();
    }

    private record StoreFacts(Server server, int epoch, long maxLease) {}

    private static @Nullable StoreFacts read(SqlConnection session) throws SQLException {
        Trip.Reader<StoreFacts> facts =
                row -> new StoreFacts(new Server(row.getString(1), row.getLong(2)), row.getInt(3), row.getLong(4));
        return session.trip().ask(READ, Trip.first(facts)).orElse(null);
    }

    // No step is under way meanwhile: each is either before or after the change.
    private StoreFacts alone(SqlConnection session, Server server) throws SQLException {
        together(session.jdbc(), () -> {
            Trip trip = session.trip();
            dialect.latchAlone(trip);
            trip.run();
            StoreFacts found = read(session);
            if (found == null) {
                session.trip().change(INSERT, server.identity(), server.startedAt(), Micros.of(maxLease));
            } else {
                change(session, found, server);
            }
        });
        StoreFacts now = read(session);
        if (now == null) {
            throw new SQLException("the row of the store is missing");
        }
        return now;
    }

    /** Does {@code work} in one transaction. */
    protected final void together(Connection connection, Migrator.Work work) throws SQLException {
        Transaction.together(settings.store(), session(connection), dialect.beginWrite(), work);
    }

    private void change(SqlConnection session, StoreFacts found, Server server) throws SQLException {
        long longest = Math.max(found.maxLease(), Micros.of(maxLease));
        if (found.maxLease() < longest) {
            log.warn(
                    "store {}: maxLease is raised from {} to {}, and so is the quiet period after lost data",
                    settings.store(),
                    DurationText.format(Micros.duration(found.maxLease())),
                    DurationText.format(maxLease));
            session.trip().change(SET_MAX_LEASE, longest);
        }
        if (!isSame(found.server(), server)) {
            // While the server was away no caller could report.
            session.trip()
                    .change(
                            String.format(
                                    "UPDATE ${t:store} AS s SET server_started = ?, last_heard = %1$s, heard_since = %1$s",
                                    ServerDialect.now(dialect.clock())),
                            server.startedAt());
        }
        if (!found.server().identity().equals(server.identity())) {
            long greatest = session.trip().ask(GREATEST_TOKEN, Trip.NUMBER);
            int epoch = TokenLayout.epochAfter(settings.store(), found.epoch(), greatest);
            session.trip()
                    .change(
                            "UPDATE ${t:store} AS s SET server = ?, epoch = ?, quiet_until = "
                                    + ServerDialect.now(dialect.clock()) + " + ?",
                            server.identity(),
                            epoch,
                            longest);
            session.trip().change(NOT_PLAIN);
            Instant quiet = session.trip().ask(QUIET_UNTIL, row -> Micros.moment(row.next() ? row.getLong(1) : 0));
            log.warn(
                    "store {} is on a server it was not on before (it was on {}, and is on {}); leases may be missing, so epoch"
                            + " {} begins and nothing is granted before {}",
                    settings.store(),
                    found.server().identity(),
                    server.identity(),
                    epoch,
                    quiet);
        }
    }

    /** Why a database refuses the store. */
    protected enum Failure {
        LOGIN,
        DATABASE,
        RIGHTS,
        READ_ONLY,
        TABLES,
        UNREACHABLE,
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

    /**
     * The first contact, on one connection, which is given back afterwards: is it safe, are the tables there, is it the server we know.
     *
     * @throws InterlockException of the kind that says what is wrong
     */
    public final void open(DataSource connections, InstantSource clock) {
        try (Loan loan = Loan.from(connections, dialect)) {
            Connection connection = loan.connection();
            loan.limit(settings.timeoutMillis());
            requireSafe(connection);
            new Migrator(settings.store(), settings.names(), Migration.ofStore(words()), clock)
                    .run(settings.migrate(), connection, (same, work) -> {
                        // Another process may be at it, and tables may be large: both take longer than a step may.
                        loan.limit((int) MIGRATION.toMillis());
                        alone(same, work);
                        loan.limit(settings.timeoutMillis());
                    });
            checkTables(connection);
            attach(connection);
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
