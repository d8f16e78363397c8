package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.spi.StoreUrl;
import io.interlock.tck.RunAudit;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody looks at a key before it is due, so there must be nothing to settle until then, whatever was done to it. */
class DueTest {

    private static final long FAR = Micros.of(Duration.ofDays(1000));

    @TempDir
    Path folder;

    private final Environment environment = Environment.system();
    private final FakeHostClock host = FakeHostClock.booted("boot-1");
    private final FakeHostClock later = FakeHostClock.booted("boot-1");
    private SqliteStore store;
    private Session session;

    @BeforeEach
    void open() throws SQLException {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("runs.db")));
        store = SqliteStore.open(settings, environment, host);
        session = new FileConnector(settings, environment.ticker()).open();
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        store.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nothingIsToBeSettledBeforeItIsDue(long seed) throws SQLException {
        Random random = new Random(seed);
        RandomLife life = new RandomLife(store, random);
        for (int i = 0; i < 400; i++) {
            life.go();
            judge("after deed " + i + " of seed " + seed);
            if (random.nextInt(4) == 0) {
                host.pass(Duration.ofMillis(random.nextInt(6000)));
            }
            if (random.nextInt(20) == 0) {
                store.sweepRuns(100);
                judge("after a sweep, deed " + i + " of seed " + seed);
                assertThat(store.sweepRuns(100)).as("nothing is left to do").isEmpty();
            }
        }
        for (int i = 0; i < 200 && !life.isOver(); i++) {
            life.wind();
            host.pass(Duration.ofSeconds(3));
            store.sweepRuns(100);
        }
        assertThat(life.isOver()).as("every run ends").isTrue();
        assertThat(RunAudit.findings(store, RandomLife.KEYS, life.submitted())).isEmpty();
    }

    private void judge(String when) throws SQLException {
        for (LockKey key : RandomLife.KEYS) {
            session.reading(open -> {
                Step now = Step.looking(open, clock(host), environment.random());
                RoomRow row = new RoomTable(open).find(key);
                if (row == null || isDue(row, now)) {
                    return false;
                }
                Long at = row.due().at();
                requireSettled(open, key, 0, when);
                requireSettled(open, key, at == null ? FAR : at - 1 - now.now(), when + ", just before it is due");
                return true;
            });
        }
    }

    private static boolean isDue(RoomRow row, Step now) throws SQLException {
        Long at = row.due().at();
        Due.Blocked blocked = row.due().blocked();
        int busy = new RunTable(now.session()).busy(row.key().tenant());
        return (at != null && at <= now.now()) || (blocked != null && blocked.below() > busy);
    }

    private void requireSettled(Session open, LockKey key, long time, String when) throws SQLException {
        later.set(host.uptime() + time);
        Step then = Step.looking(open, clock(later), environment.random());
        assertThat(new Rooms(then).settle(key)).as("%s %s", key, when).isEmpty();
        assertThat(then.wantsToWrite()).as("%s %s", key, when).isFalse();
    }

    private StoreClock clock(FakeHostClock host) {
        return new StoreClock("test", host, environment.clock());
    }
}
