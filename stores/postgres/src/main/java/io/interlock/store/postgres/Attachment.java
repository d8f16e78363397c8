package io.interlock.store.postgres;

import io.interlock.DurationText;
import io.interlock.UnsafeStoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
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

    private final PostgresSettings settings;
    private volatile boolean systemIdentifierKnown = true;
    private volatile Duration maxLease;

    Attachment(PostgresSettings settings) {
        this.settings = settings;
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
                               current_setting('synchronous_commit')""")) {
            row.next();
            if (row.getBoolean(1)) {
                throw new UnsafeStoreException(
                        settings.store(),
                        "is a replica, which may lag and cannot grant",
                        "connect to the primary, or name all servers as host:port,host:port");
            }
            requireOn("fsync", row.getString(2), "a crash of the machine would lose leases that were granted");
            requireOn("full_page_writes", row.getString(3), "a crash during a write could spoil a page of leases");
            // The steps switch it on for themselves, so a weaker default harms nobody.
            log.debug("store {}: synchronous_commit is {} by default", settings.store(), row.getString(4));
        }
    }

    /** Ties the store to the server behind {@code connection}, and tells the log if it was another one before. */
    void attach(Connection connection) throws SQLException {
        String system = systemIdentifier(connection);
        String sql = "SELECT changed, epoch, no_grant_before, max_lease_before, max_lease FROM "
                + settings.names().table("attach") + "(?, ?, ?)";
        Lane.query(
                connection,
                sql,
                statement -> {
                    statement.setInt(1, settings.patienceMillis(settings.timeoutMillis()));
                    statement.setString(2, system);
                    // What we have learned, not only what we were told: this server may have lost it.
                    statement.setLong(3, AnswerRow.micros(maxLease));
                },
                row -> {
                    row.next();
                    report(row);
                    return true;
                });
    }

    private void report(ResultSet row) throws SQLException {
        String changed = row.getString("changed");
        if (changed != null) {
            log.warn(
                    "store {} is on a server it was not on before ({}); leases may be missing, so epoch {} begins and"
                            + " nothing is granted before {}",
                    settings.store(),
                    changed,
                    row.getInt("epoch"),
                    row.getObject("no_grant_before", OffsetDateTime.class));
        }
        Duration before = Duration.of(row.getLong("max_lease_before"), ChronoUnit.MICROS);
        maxLease = Duration.of(row.getLong("max_lease"), ChronoUnit.MICROS);
        if (!before.isZero() && before.compareTo(maxLease) < 0) {
            log.warn(
                    "store {}: maxLease is raised from {} to {}, and so is the quiet period after lost data",
                    settings.store(),
                    DurationText.format(before),
                    DurationText.format(maxLease));
        }
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
