package io.interlock.store.sqlite;

import io.interlock.DurationText;
import io.interlock.store.jdbc.Migration;
import io.interlock.store.jdbc.MigrationLock;
import io.interlock.store.jdbc.Migrator;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done once when a store is opened: its tables are made or checked, leases from before the last start of the
 * machine are ended, and a longer {@code maxLease} is written down before anybody can use it.
 */
final class Opening {

    private static final Logger log = LoggerFactory.getLogger(Opening.class);
    private static final List<Migration> MIGRATIONS = Migration.load(
            Opening.class,
            "001_leases.sql",
            "002_runs.sql",
            "003_books.sql",
            "004_access.sql",
            "005_workers_of_tenants.sql",
            "006_workers_by_tenant.sql");

    private final SqliteSettings settings;
    private final StoreClock clock;

    Opening(SqliteSettings settings, StoreClock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** Makes {@code session}'s store ready to use, and returns its state. */
    StoreState run(Session session) throws SQLException {
        MigrationLock alone = (connection, work) -> session.writing(open -> {
            work.run();
            return true;
        });
        new Migrator(settings.store(), settings.names(), MIGRATIONS, clock.wall())
                .run(settings.mode(), session.connection(), alone);
        return session.writing(this::enter);
    }

    private StoreState enter(Session session) throws SQLException {
        StoreTable store = new StoreTable(session);
        StoreState before = store.read();
        StoreState after = clock.atOpening(before, Micros.of(settings.maxLease()));
        if (before != null && !before.bootId().equals(after.bootId())) {
            new LeaseTable(session).endAllAt(after.bootedAt());
            new RoomTable(session).dueAllAt(after.bootedAt());
            log.info(
                    "store {}: the machine was started since its last use; leases from before are over",
                    settings.store());
        }
        if (before != null && before.maxLease() < after.maxLease()) {
            log.warn(
                    "store {}: maxLease is raised from {} to {} for good; after a restored backup nothing is granted for that"
                            + " long",
                    settings.store(),
                    DurationText.format(Micros.duration(before.maxLease())),
                    DurationText.format(Micros.duration(after.maxLease())));
        }
        if (isNews(before, after)) {
            store.write(after);
        }
        return after;
    }

    private static boolean isNews(@Nullable StoreState before, StoreState after) {
        return before == null || !before.bootId().equals(after.bootId()) || before.maxLease() != after.maxLease();
    }
}
