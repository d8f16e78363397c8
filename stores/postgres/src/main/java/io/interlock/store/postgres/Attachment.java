package io.interlock.store.postgres;

import io.interlock.DurationText;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.TokenLayout;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must be true of a server before it is used, checked on every new connection: it keeps what it acknowledges, it is
 * the primary, and it is the one the store was on before. If it is another one (promoted, restored, copied), leases may be
 * missing: then a new epoch begins and nothing is granted until all of them must be over.
 *
 * <p>Safe for use by many threads.
 */
final class Attachment {

    private static final Logger log = LoggerFactory.getLogger(Attachment.class);

    private static final String READ = "SELECT server, server_started, epoch, max_lease FROM ${t:store}";
    private static final String GREATEST_TOKEN = """
            SELECT greatest((SELECT coalesce(max(token), 0) FROM ${t:lease}),
                            (SELECT coalesce(max(token_floor), 0) FROM ${t:store}))""";

    private final PostgresSettings settings;
    private final PostgresDialect dialect;
    private volatile boolean systemIdentifierKnown = true;
    private volatile Duration maxLease;

    Attachment(PostgresSettings settings, PostgresDialect dialect) {
        this.settings = settings;
        this.dialect = dialect;
        this.maxLease = settings.maxLease();
    }

    /** The longest lease any client of this store may ask for. */
    Duration maxLease() {
        return maxLease;
    }

    /**
     * Refuses a server that may lose what it acknowledged.
     *
     * @throws UnsafeStoreException naming the setting
     */
    void requireSafe(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT pg_is_in_recovery(), current_setting('fsync'), current_setting('full_page_writes'),
                               current_setting('synchronous_commit'),
                               current_setting('default_transaction_isolation')""")) {
            row.next();
            if (row.getBoolean(1)) {
                throw new UnsafeStoreException(
                        settings.store(),
                        "is a replica, which may lag and cannot grant",
                        "connect to the primary, or name all servers as host:port,host:port");
            }
            requireOn("fsync", row.getString(2), "a crash of the machine would lose leases that were granted");
            requireOn("full_page_writes", row.getString(3), "a crash during a write could spoil a page of leases");
            if (!row.getString(5).equals("read committed")) {
                throw new UnsafeStoreException(
                        settings.store(),
                        "is used with the wrong isolation: default_transaction_isolation=" + row.getString(5),
                        "set default_transaction_isolation of role, database or pool to 'read committed'");
            }
            // The steps switch it on for themselves, so a weaker default harms nobody.
            log.debug("store {}: synchronous_commit is {} by default", settings.store(), row.getString(4));
        }
    }

    /** Ties the store to the server behind {@code connection}, and tells the log if it was another one before. */
    void attach(Connection connection) throws SQLException {
        PostgresDialect.Server server = server(connection);
        StoreFacts known = read(connection);
        boolean newer = known == null || !known.server().equals(server) || known.maxLease() < micros(maxLease);
        if (newer) {
            known = alone(connection, server);
        }
        maxLease = Duration.of(Math.max(known == null ? 0 : known.maxLease(), micros(maxLease)), ChronoUnit.MICROS);
        dialect.attachedTo(server);
    }

    /** What the row of the store says. */
    private record StoreFacts(PostgresDialect.Server server, int epoch, long maxLease) {}

    private @Nullable StoreFacts read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(dialect.render(READ))) {
            return row.next()
                    ? new StoreFacts(
                            new PostgresDialect.Server(row.getString(1), row.getLong(2)), row.getInt(3), row.getLong(4))
                    : null;
        }
    }

    // No step is under way meanwhile: each is either before or after the change.
    private @Nullable StoreFacts alone(Connection connection, PostgresDialect.Server server) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = " + settings.patienceMillis());
            statement.execute("SET LOCAL idle_in_transaction_session_timeout = " + PostgresDialect.FROZEN_MILLIS);
            statement.execute("SET LOCAL synchronous_commit = on");
            statement.execute("SELECT pg_advisory_xact_lock(" + dialect.latch() + ")");
            StoreFacts found = read(connection);
            if (found == null) {
                statement.execute(
                        dialect.render("INSERT INTO ${t:store} (one, server, server_started, clock_offset, epoch,"
                                + " token_floor, max_lease, quiet_until, last_heard, heard_since) VALUES (1, '"
                                + server.identity() + "', " + server.startedAt() + ", 0, 0, 0, " + micros(maxLease)
                                + ", 0, 0, 0)"));
            } else {
                change(statement, found, server);
            }
            connection.commit();
            return read(connection);
        } catch (SQLException | RuntimeException failure) {
            connection.rollback();
            throw failure;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private void change(Statement statement, StoreFacts found, PostgresDialect.Server server) throws SQLException {
        long longest = Math.max(found.maxLease(), micros(maxLease));
        String now = PostgresDialect.CLOCK + " + clock_offset";
        if (found.maxLease() < longest) {
            log.warn(
                    "store {}: maxLease is raised from {} to {}, and so is the quiet period after lost data",
                    settings.store(),
                    DurationText.format(Duration.of(found.maxLease(), ChronoUnit.MICROS)),
                    DurationText.format(maxLease));
        }
        if (!found.server().equals(server)) {
            // While the server was away no caller could report.
            statement.execute(dialect.render("UPDATE ${t:store} SET server_started = " + server.startedAt()
                    + ", last_heard = " + now + ", heard_since = " + now));
        }
        statement.execute(dialect.render("UPDATE ${t:store} SET max_lease = " + longest));
        if (!found.server().identity().equals(server.identity())) {
            statement.execute(dialect.render("UPDATE ${t:store} SET server = '" + server.identity() + "'"));
            EpochChange epoch = newEpoch(statement, found.epoch(), longest);
            log.warn(
                    "store {} is on a server it was not on before (it was on {}, and is on {}); leases may be missing, so epoch"
                            + " {} begins and nothing is granted before {}",
                    settings.store(),
                    found.server().identity(),
                    server.identity(),
                    epoch.epoch(),
                    epoch.quietUntil());
        }
    }

    private record EpochChange(int epoch, Instant quietUntil) {}

    private EpochChange newEpoch(Statement statement, int before, long longest) throws SQLException {
        long greatest;
        try (ResultSet row = statement.executeQuery(dialect.render(GREATEST_TOKEN))) {
            row.next();
            greatest = row.getLong(1);
        }
        int epoch = Math.toIntExact(Math.max(before, greatest >> TokenLayout.LOW_BITS) + 1);
        statement.execute(dialect.render("UPDATE ${t:store} SET epoch = " + epoch + ", quiet_until = "
                + PostgresDialect.CLOCK + " + clock_offset + " + longest));
        statement.execute(dialect.render("UPDATE ${t:lease} SET plain = 0 WHERE plain = 1"));
        try (ResultSet row = statement.executeQuery(dialect.render("SELECT quiet_until FROM ${t:store}"))) {
            row.next();
            return new EpochChange(epoch, Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS));
        }
    }

    private PostgresDialect.Server server(Connection connection) throws SQLException {
        String system = systemIdentifier(connection);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + PostgresDialect.STARTED
                        + ", substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)")) {
            row.next();
            return new PostgresDialect.Server(
                    (system == null ? "unknown" : system) + "/" + row.getString(2), row.getLong(1));
        }
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1000;
    }

    private void requireOn(String setting, String value, String danger) {
        if (!value.equals("on")) {
            throw new UnsafeStoreException(
                    settings.store(),
                    "has " + setting + "=" + value + ": " + danger,
                    "set " + setting + "=on in postgresql.conf and reload");
        }
    }

    // Some hosted servers keep it from ordinary roles. The timeline alone still shows a promotion.
    private @Nullable String systemIdentifier(Connection connection) throws SQLException {
        if (!systemIdentifierKnown) {
            return null;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT system_identifier::text FROM pg_control_system()")) {
            row.next();
            return row.getString(1);
        } catch (SQLException error) {
            if (!"42501".equals(error.getSQLState())) {
                throw error;
            }
            systemIdentifierKnown = false;
            log.info(
                    "store {}: this role may not call pg_control_system(), so a store copied to another server is not"
                            + " noticed; after a restore, bump the epoch",
                    settings.store());
            return null;
        }
    }
}
