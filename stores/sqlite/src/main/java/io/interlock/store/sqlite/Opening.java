package io.interlock.store.sqlite;

import io.interlock.DurationText;
import io.interlock.store.sql.Micros;
import io.interlock.store.sql.Migration;
import io.interlock.store.sql.Migrator;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.Transaction;
import io.interlock.store.sql.Trip;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done once when a store is opened: its tables are made or checked, leases from before the last start of the
 * machine are ended, and a longer {@code maxLease} is written down before it can be used.
 */
final class Opening {

    private static final Logger log = LoggerFactory.getLogger(Opening.class);
    // An index ends with the number of its row, so it need not name it.
    private static final Migration.Words WORDS = new Migration.Words(
            "sqlite",
            Map.ofEntries(
                    Map.entry("create", "CREATE TABLE"),
                    Map.entry("index", "CREATE INDEX"),
                    Map.entry("on", "ON ${prefix}"),
                    Map.entry("only", "WHERE %s"),
                    Map.entry("then", ""),
                    Map.entry("rows", "STRICT, WITHOUT ROWID"),
                    Map.entry("numberedRows", "STRICT"),
                    Map.entry("numbered", "INTEGER PRIMARY KEY AUTOINCREMENT"),
                    Map.entry("small", "INTEGER"),
                    Map.entry("int", "INTEGER"),
                    Map.entry("big", "INTEGER"),
                    Map.entry("uuid", "TEXT"),
                    Map.entry("key", "TEXT"),
                    Map.entry("text", "TEXT"),
                    Map.entry("long", "TEXT")));

    private static final String READ = "SELECT boot_id, uptime, booted_at, clock_offset, max_lease FROM ${t:store}";
    private static final String ADD = """
            INSERT INTO ${t:store} (one, boot_id, uptime, booted_at, max_lease, clock_offset, run_number, epoch, token_floor,
              quiet_until, last_heard, heard_since) VALUES (1, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0)""";
    private static final String KEEP = "UPDATE ${t:store} SET boot_id = ?, uptime = ?, booted_at = ?, max_lease = ?";
    // While the machine was off no caller could report.
    private static final String HEARD = "UPDATE ${t:store} SET last_heard = ?1, heard_since = ?1";
    private static final String END_LEASES =
            "UPDATE ${t:lease} SET expires_at = max(granted_at, ?1) WHERE lease_id IS NOT NULL AND expires_at > ?1";
    private static final String KEYS_DUE = "UPDATE ${t:lease} SET due_at = ?1 WHERE due_at > ?1";
    private static final String RUNS_DUE = "UPDATE ${t:open_run} SET due_at = ?1 WHERE busy = 1 AND due_at > ?1";

    private final SqliteSettings settings;
    private final StoreClock clock;

    Opening(SqliteSettings settings, StoreClock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    private record StoreFacts(StoreClock.ClockRow clock, long offset, long maxLease) {}

    /** Makes the store of {@code connection} ready to use, and returns the longest lease it allows. */
    Duration run(SqlConnection connection) throws SQLException {
        Migrator.Lock alone = (jdbc, work) -> alone(connection, work);
        new Migrator(settings.store(), settings.names(), Migration.ofStore(WORDS), clock.wall())
                .run(settings.mode(), connection.jdbc(), alone);
        Duration[] maxLease = new Duration[1];
        alone(connection, () -> maxLease[0] = Micros.duration(enter(connection)));
        return maxLease[0];
    }

    private void alone(SqlConnection connection, Migrator.Work work) throws SQLException {
        Transaction.together(settings.store(), connection, ReopeningConnection.WRITES, work);
    }

    private long enter(SqlConnection connection) throws SQLException {
        Trip.Reader<StoreFacts> facts = row -> new StoreFacts(
                new StoreClock.ClockRow(new StoreClock.Uptime(row.getString(1), row.getLong(2)), row.getLong(3)),
                row.getLong(4),
                row.getLong(5));
        StoreFacts before = connection.trip().ask(READ, Trip.first(facts)).orElse(null);
        StoreClock.ClockRow now = clock.atOpening(before == null ? null : before.clock());
        String boot = now.uptime().bootId();
        long asked = Micros.of(settings.maxLease());
        long maxLease = before == null ? asked : Math.max(asked, before.maxLease());
        if (before == null) {
            connection.trip().change(ADD, boot, now.uptime().micros(), now.bootedAt(), maxLease);
            return maxLease;
        }
        boolean booted = !before.clock().uptime().bootId().equals(boot);
        if (booted || before.maxLease() < maxLease) {
            connection.trip().change(KEEP, boot, now.uptime().micros(), now.bootedAt(), maxLease);
        }
        if (booted) {
            endAll(connection, now.bootedAt() + before.offset(), now.moment() + before.offset());
        }
        if (before.maxLease() < maxLease) {
            log.warn(
                    "store {}: maxLease is raised from {} to {} for good; after a restored backup nothing is granted for that"
                            + " long",
                    settings.store(),
                    DurationText.format(Micros.duration(before.maxLease())),
                    DurationText.format(Micros.duration(maxLease)));
        }
        return maxLease;
    }

    private void endAll(SqlConnection connection, long bootedAt, long now) throws SQLException {
        connection.trip().change(END_LEASES, bootedAt);
        connection.trip().change(KEYS_DUE, bootedAt);
        connection.trip().change(RUNS_DUE, bootedAt);
        connection.trip().change(HEARD, now);
        log.info("store {}: the machine was started since its last use; leases from before are over", settings.store());
    }
}
