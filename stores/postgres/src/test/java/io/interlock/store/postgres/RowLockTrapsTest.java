package io.interlock.store.postgres;

import static io.interlock.store.postgres.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LossCause;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The traps of PostgreSQL that a lock on rows falls into. Each test first shows on a scratch table that the trap is there,
 * then that the store does not fall into it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RowLockTrapsTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final String scratch = harness.schema() + ".scratch";
    private final String lockScratch = "SELECT FROM " + scratch + " WHERE k = 'k' FOR UPDATE";
    private final String lockRow = "SELECT FROM " + harness.table("lease") + " WHERE name = 'k' FOR UPDATE";
    private final LeaseStore store = harness.open(Environment.system());

    @BeforeAll
    void createScratch() {
        server.execute(
                "CREATE TABLE " + scratch + " (k text PRIMARY KEY, token bigint, expires_at timestamptz)",
                "CREATE TABLE " + scratch + "_queue (waiter text)",
                "CREATE SEQUENCE " + scratch + "_seq",
                "CREATE SEQUENCE " + scratch + "_cached CACHE 20");
    }

    @BeforeEach
    void reset() {
        harness.reset();
        server.execute(
                "DELETE FROM " + scratch,
                "DELETE FROM " + scratch + "_queue",
                "INSERT INTO " + scratch + " VALUES ('k', 0, clock_timestamp())");
    }

    @AfterAll
    void close() {
        store.close();
        harness.close();
    }

    @AfterEach
    void noSessionIsLeftWaiting() {
        assertThat(server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
                .isEqualTo("0");
    }

    @Test
    void nowIsTheBeginningOfTheTransaction() throws Exception {
        assertThatNaiveLeaseIsBornTooEarly("UPDATE " + scratch + " SET expires_at = now() + interval '1 s'");
        assertThatLeaseIsBornAfterTheWait();
    }

    @Test
    void theClockInAnUpdateIsReadBeforeTheWait() throws Exception {
        assertThatNaiveLeaseIsBornTooEarly(
                "UPDATE " + scratch + " SET expires_at = clock_timestamp() + interval '1 s'");
        assertThatLeaseIsBornAfterTheWait();
    }

    @Test
    void excludedIsReadBeforeTheWait() throws Exception {
        assertThatNaiveLeaseIsBornTooEarly("INSERT INTO " + scratch
                + " VALUES ('k', 1, clock_timestamp() + interval '1 s')"
                + " ON CONFLICT (k) DO UPDATE SET expires_at = EXCLUDED.expires_at");
        assertThatLeaseIsBornAfterTheWait();
    }

    @Test
    void theClockInOnConflictIsReadAfterTheWait() throws Exception {
        RowWait<Instant> right = naiveExpiry("INSERT INTO " + scratch
                + " VALUES ('k', 1, clock_timestamp() + interval '1 s')"
                + " ON CONFLICT (k) DO UPDATE SET expires_at = clock_timestamp() + interval '1 s'");
        assertThat(right.answer().minusSeconds(1)).isAfterOrEqualTo(right.letGo());
        // The first grant of a key goes through ON CONFLICT too: here two sessions insert its row at once.
        RowWait<LeaseRecord> wait = RowWait.during(
                server,
                "INSERT INTO " + harness.table("lease") + " (tenant, name, plain, used_at) VALUES ('acme', 'k', 0, 0)",
                () -> Bench.take(store, "k"));
        assertThat(wait.answer().grantedAt()).isAfterOrEqualTo(wait.letGo());
        assertThat(wait.answer().remaining()).isEqualTo(TTL);
    }

    @Test
    void aLeaseThatExpiredDuringTheWaitIsNotRenewed() throws Exception {
        server.execute("UPDATE " + scratch + " SET expires_at = clock_timestamp() + interval '300 ms'");
        RowWait<String> naive = RowWait.during(
                server,
                lockScratch,
                () -> server.ask("UPDATE " + scratch + " SET expires_at = clock_timestamp() + interval '1 s'"
                        + " WHERE k = 'k' AND expires_at > clock_timestamp() RETURNING 'renewed'"),
                holder -> RowWait.awaitClockPast(server, "SELECT expires_at FROM " + scratch));
        assertThat(naive.answer()).as("the trap").isEqualTo("renewed");

        LeaseRecord lease = Bench.take(store, "k");
        endsSoon();
        RowWait<RenewAnswer> wait =
                RowWait.during(server, lockRow, () -> Bench.renew(store, lease), holder -> awaitEnd());
        assertThat(wait.answer())
                .isInstanceOfSatisfying(
                        RenewAnswer.Lost.class, lost -> assertThat(lost.cause()).isEqualTo(LossCause.EXPIRED));
    }

    @Test
    void theClockBesideForUpdateIsReadBeforeTheWait() throws Exception {
        RowWait<Instant> naive = RowWait.during(server, lockScratch, () -> {
            try (Connection connection = server.connect()) {
                return RowWait.instant(
                        connection, "SELECT clock_timestamp() FROM " + scratch + " WHERE k = 'k' FOR UPDATE");
            }
        });
        assertThat(naive.answer()).as("the trap").isBefore(naive.letGo());

        LeaseRecord lease = Bench.take(store, "k");
        RowWait<EvictAnswer> wait = RowWait.during(
                server, lockRow, () -> store.evict(new EvictRequest(lease.key(), lease.token(), "me", "a test")));
        EvictAnswer.Evicted evicted = (EvictAnswer.Evicted) wait.answer();
        assertThat(evicted.victim().evicted().orElseThrow().at()).isAfterOrEqualTo(wait.letGo());
    }

    @Test
    void lockThenClockThenDecide() throws Exception {
        server.execute("UPDATE " + scratch + " SET expires_at = clock_timestamp() + interval '300 ms'");
        RowWait<String> right = RowWait.during(
                server,
                lockScratch,
                () -> {
                    try (Connection connection = server.connect()) {
                        connection.setAutoCommit(false);
                        RowWait.execute(connection, lockScratch);
                        String live =
                                RowWait.value(connection, "SELECT expires_at > clock_timestamp() FROM " + scratch);
                        connection.commit();
                        return live;
                    }
                },
                holder -> RowWait.awaitClockPast(server, "SELECT expires_at FROM " + scratch));
        assertThat(right.answer()).as("two statements see the end").isEqualTo("f");

        LeaseRecord lease = Bench.take(store, "k");
        endsSoon();
        RowWait<ReleaseAnswer> wait =
                RowWait.during(server, lockRow, () -> Bench.release(store, lease), holder -> awaitEnd());
        assertThat(wait.answer()).isInstanceOf(ReleaseAnswer.Lapsed.class);
    }

    @Test
    void aTokenDrawnBeforeTheWaitIsTooSmall() throws Exception {
        String draw = "nextval('" + scratch + "_seq')";
        RowWait<String> naive = RowWait.during(
                server,
                lockScratch,
                () -> server.ask("INSERT INTO " + scratch + " VALUES ('k', " + draw
                        + ", NULL) ON CONFLICT (k) DO UPDATE SET token = EXCLUDED.token RETURNING token"),
                holder -> RowWait.execute(holder, "UPDATE " + scratch + " SET token = " + draw));
        assertThat(naive.answer()).as("the trap: 2 was committed first").isEqualTo("1");

        Bench.release(store, Bench.take(store, "k"));
        long before = 1_000_000_000_000L;
        RowWait<LeaseRecord> wait = RowWait.during(
                server,
                lockRow,
                () -> Bench.take(store, "k"),
                holder -> RowWait.execute(holder, "UPDATE " + harness.table("lease") + " SET token = " + before));
        assertThat(wait.answer().token()).isEqualTo(new FencingToken(before + 1));
    }

    @Test
    void aCachedSequenceGoesBackBetweenSessions() throws Exception {
        String draw = "SELECT nextval('" + scratch + "_cached')";
        try (Connection one = server.connect();
                Connection two = server.connect()) {
            RowWait.value(one, draw);
            long later = Long.parseLong(RowWait.value(two, draw));
            assertThat(Long.parseLong(RowWait.value(one, draw))).as("the trap").isLessThan(later);
        }
        try (LeaseStore other = harness.open(Environment.system())) {
            long last = 0;
            for (int i = 0; i < 20; i++) {
                LeaseStore turn = i % 2 == 0 ? store : other;
                LeaseRecord lease = Bench.take(turn, "k");
                assertThat(lease.token().value()).isGreaterThan(last);
                last = lease.token().value();
                Bench.release(turn, lease);
            }
        }
    }

    @Test
    void aWaiterThatCameDuringTheWaitIsSeenByTheRelease() throws Exception {
        RowWait<String> naive = RowWait.during(
                server,
                lockScratch,
                () -> server.ask(
                        "WITH next AS (SELECT waiter FROM " + scratch + "_queue LIMIT 1), u AS (UPDATE " + scratch
                                + " SET token = 0 WHERE k = 'k' RETURNING k)"
                                + " SELECT coalesce((SELECT waiter FROM next), 'none') FROM u"),
                holder -> server.execute("INSERT INTO " + scratch + "_queue VALUES ('waiter')"));
        assertThat(naive.answer()).as("the trap").isEqualTo("none");

        LeaseRecord lease = Bench.take(store, "k");
        CountDownLatch listening = new CountDownLatch(1);
        CountDownLatch woken = new CountDownLatch(1);
        AtomicBoolean releasing = new AtomicBoolean();
        try (LeaseStore waiter = harness.open(Environment.system());
                var subscription = waiter.changes().watch(lease.key(), () -> {
                    listening.countDown();
                    if (releasing.get()) {
                        woken.countDown();
                    }
                })) {
            assertThat(listening.await(10, TimeUnit.SECONDS)).isTrue();
            releasing.set(true);
            RowWait.during(
                    server,
                    lockRow,
                    () -> Bench.release(store, lease),
                    holder -> RowWait.execute(
                            holder,
                            "UPDATE " + harness.table("lease") + " SET waiters_until = 60000000 + " + harness.now()));
            assertThat(woken.await(10, TimeUnit.SECONDS)).as("woken").isTrue();
        }
    }

    @Test
    void aStepThatWaitedForTheRowReadsWhatItsHolderLeft() throws Exception {
        RowWait<String> right = RowWait.during(
                server,
                lockScratch,
                () -> {
                    try (Connection connection = server.connect()) {
                        connection.setAutoCommit(false);
                        RowWait.execute(connection, lockScratch);
                        String next = RowWait.value(connection, "SELECT waiter FROM " + scratch + "_queue");
                        connection.commit();
                        return next;
                    }
                },
                holder -> server.execute("INSERT INTO " + scratch + "_queue VALUES ('waiter')"));
        assertThat(right.answer()).isEqualTo("waiter");

        // A waiter finds the key held and goes to leave its mark; the holder gives the key back in that very moment.
        Bench.take(store, "k");
        RowWait<AcquireAnswer> wait = RowWait.during(
                server,
                lockRow,
                () -> Bench.ask(store, Bench.asking("k").waiting()),
                holder -> RowWait.execute(
                        holder, "UPDATE " + harness.table("lease") + " SET lease_id = NULL WHERE name = 'k'"));
        assertThat(wait.answer()).isInstanceOf(AcquireAnswer.Granted.class);
    }

    private void assertThatNaiveLeaseIsBornTooEarly(String statement) throws Exception {
        RowWait<Instant> naive = naiveExpiry(statement);
        assertThat(naive.answer().minusSeconds(1)).as("the trap").isBefore(naive.letGo());
    }

    private RowWait<Instant> naiveExpiry(String statement) throws Exception {
        return RowWait.during(server, lockScratch, () -> {
            try (Connection connection = server.connect()) {
                return RowWait.instant(connection, statement + " RETURNING expires_at");
            }
        });
    }

    private void assertThatLeaseIsBornAfterTheWait() throws Exception {
        Bench.release(store, Bench.take(store, "k"));
        // A lease that is too short by some milliseconds is left as it is.
        String longEnough = server.ask("SELECT clock_timestamp() + interval '200 ms'");
        RowWait<LeaseRecord> wait = RowWait.during(
                server,
                lockRow,
                () -> Bench.take(store, "k"),
                holder -> RowWait.awaitClockPast(server, "'" + longEnough + "'::timestamptz"));
        assertThat(wait.answer().grantedAt()).isAfterOrEqualTo(wait.letGo());
        assertThat(wait.answer().remaining()).isBetween(TTL, TTL.plusMillis(1));
        assertThat(Bench.renew(store, wait.answer())).isInstanceOf(RenewAnswer.Renewed.class);
    }

    private void endsSoon() {
        server.execute("UPDATE " + harness.table("lease") + " SET expires_at = 300000 + " + harness.now());
    }

    private void awaitEnd() {
        RowWait.awaitClockPast(server, "SELECT to_timestamp(expires_at / 1e6) FROM " + harness.table("lease"));
    }
}
