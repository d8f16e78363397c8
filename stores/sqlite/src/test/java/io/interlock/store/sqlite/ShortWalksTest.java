package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.run.Retention;
import io.interlock.run.RunQuery;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;

/** A page begins where the one before it ended: SQLite does not walk there from the first row of the tenant. */
class ShortWalksTest {

    private static final int ROWS = 20_000;
    private static final String ROW =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT n.i + 1 FROM n WHERE n.i < " + ROWS + ")";
    private static final String RUNS = ROW + """
             INSERT INTO interlock_run (number, run_id, tenant, name, job, place, submitted_at, since, state, status, spec)
            SELECT n.i, printf('00000000-0000-7000-8000-%%012x', n.i), 'acme', 'key', 'load', 0, %d, %d, 'SUCCEEDED', '', ''
              FROM n""";
    private static final String KEYS = ROW + """
             INSERT INTO interlock_lease (tenant, name, plain, used_at)
            SELECT 'acme', printf('a/%%05d', n.i), 1, %d FROM n""";

    /** How many instructions of SQLite are counted as one. */
    private static final int UNIT = 10;

    @TempDir
    Path folder;

    private final AtomicLong units = new AtomicLong();
    private SqlStore store;
    private TestDatabase database;
    private Instant now;

    @BeforeEach
    void open() {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("runs.db")));
        FakeHostClock host = FakeHostClock.booted("boot-1");
        Environment environment = Environment.system();
        SqliteStoreFactory.open(settings, environment, host).close();
        StoreClock clock = new StoreClock("test", host, environment.clock());
        SqliteDialect dialect = new SqliteDialect(settings.names(), clock);
        FileConnector counting = new FileConnector(settings, dialect, environment.ticker()) {
            @Override
            SqlConnection open() throws SQLException {
                SqlConnection connection = super.open();
                ProgressHandler.setHandler(connection.jdbc(), UNIT, new ProgressHandler() {
                    @Override
                    protected int progress() {
                        units.incrementAndGet();
                        return 0;
                    }
                });
                return connection;
            }
        };
        store = SqliteStoreFactory.open(counting, dialect, clock, environment, Duration.ofMinutes(5));
        database = new TestDatabase(folder.resolve("runs.db"));
        now = store.views().storeTime();
    }

    @AfterEach
    void close() {
        database.close();
        store.close();
    }

    @Test
    void pastTheYoungRunsOfATenant() {
        database.execute(RUNS.formatted(micros(now), micros(now)));
        assertThat(instructions(() -> store.upkeep().forget(Retention.DEFAULT, 10)))
                .isLessThan(ROWS);
    }

    @Test
    void amongOldRunsThatEndedLate() {
        database.execute(RUNS.formatted(micros(now.minus(Duration.ofDays(1000))), micros(now)));
        long first = instructions(() -> store.upkeep().forget(Retention.DEFAULT, 10));
        for (int i = 0; i < 15; i++) {
            assertThat(instructions(() -> store.upkeep().forget(Retention.DEFAULT, 10)))
                    .isLessThan(2 * first);
        }
    }

    @Test
    void toTheRunsSinceAMoment() {
        database.execute(RUNS.formatted(micros(now.minus(Duration.ofDays(1))), micros(now)));
        assertThat(instructions(
                        () -> store.queries().listRuns(RunQuery.ofTenant("acme").since(now))))
                .isLessThan(ROWS);
    }

    @Test
    void amongTheKeysOfATenant() {
        database.execute(KEYS.formatted(micros(now)));
        long first = instructions(() -> store.sweep(10));
        for (int i = 0; i < 15; i++) {
            assertThat(instructions(() -> store.sweep(10))).isLessThan(2 * first);
        }
        LeaseQuery all = LeaseQuery.all();
        assertThat(instructions(() -> store.list(all.after(LockKey.of("acme", "a/19999")))))
                .isLessThan(ROWS);
    }

    @Test
    void toTheNamesThatBeginLikeAPattern() {
        database.execute(KEYS.formatted(micros(now)));
        assertThat(instructions(() -> store.list(LeaseQuery.ofTenant("acme").startingWith("b/"))))
                .isLessThan(ROWS);
        assertThat(instructions(() -> store.runs().pause(new PauseRequest("acme", "b/*", "carol", "repair", null))))
                .isLessThan(ROWS);
    }

    private long instructions(Runnable step) {
        long before = units.get();
        step.run();
        return UNIT * (units.get() - before);
    }

    private static long micros(Instant moment) {
        return moment.getEpochSecond() * 1_000_000;
    }
}
