package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.Refusal;
import io.interlock.UnsafeStoreException;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.Stores;
import io.interlock.spi.TokenLayout;
import io.interlock.store.sql.ServerSettings;
import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that are not the one the store was on before, and may lack leases. */
class FailoverTest {

    private static final Duration QUIET = ServerSettings.DEFAULT_MAX_LEASE;

    private final PostgresHarness harness = new PostgresHarness();

    @AfterEach
    void close() {
        harness.close();
    }

    @Test
    void anotherTimelineUnderAnOpenConnectionGrantsNothingUntilAllLeasesMustBeOver() {
        try (LeaseStore store = harness.open(Environment.system())) {
            LeaseRecord survivor = Bench.take(store, "survivor");
            LeaseRecord before = Bench.take(store, "k");
            Bench.release(store, before);
            harness.server().execute("UPDATE " + harness.table("store") + " SET server = 'x/0000002A'");

            Refusal refusal = refusal(store, "k");
            assertThat(refusal).isInstanceOf(Refusal.StoreRecovering.class);
            assertThat(refusal.retryAfter()).isBetween(QUIET.minusSeconds(10), QUIET);
            assertThat(Bench.renew(store, survivor)).isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(stored("server")).endsWith("/00000001");

            harness.advance(QUIET);
            LeaseRecord after = Bench.take(store, "k");
            assertThat(after.token().isAfter(before.token())).isTrue();
            assertThat(after.token().value() >> TokenLayout.LOW_BITS).isEqualTo(1);
        }
    }

    @Test
    void anotherSystemIdentifierIsSeenByTheNextConnection() {
        try (LeaseStore store = harness.open(Environment.system())) {
            Bench.take(store, "k");
        }
        harness.server().execute("UPDATE " + harness.table("store") + " SET server = '42/00000001'");
        try (LeaseStore store = harness.open(Environment.system())) {
            assertThat(refusal(store, "other")).isInstanceOf(Refusal.StoreRecovering.class);
        }
        assertThat(stored("epoch")).isEqualTo("1");
        try (LeaseStore store = harness.open(Environment.system())) {
            assertThat(refusal(store, "other")).isInstanceOf(Refusal.StoreRecovering.class);
        }
        assertThat(stored("epoch")).as("once per change").isEqualTo("1");
    }

    @Test
    void aPromotedStandbyThatLostLeasesGivesNoneOfThemAway() throws IOException {
        try (PostgresServer server = PostgresServer.start(PostgresServer.DURABLE);
                LeaseStore store = Stores.open(server.url("timeout=10s"))) {
            LeaseRecord kept = Bench.take(store, "kept");
            server.stop();
            Path behind = server.copyFiles();
            server.startAgain();
            LeaseRecord lost = Bench.take(store, "lost");
            server.stop();

            Files.createFile(behind.resolve("standby.signal"));
            server.replaceFiles(behind);
            server.startAgain();
            assertThatThrownBy(() -> Stores.open(server.url()))
                    .isInstanceOf(UnsafeStoreException.class)
                    .hasMessageContaining("is a replica")
                    .hasMessageContaining("connect to the primary");

            server.promote();
            assertThat(server.ask("SELECT count(*) FROM interlock_lease WHERE name = 'lost'"))
                    .as("the lease is really lost")
                    .isEqualTo("0");
            assertThat(refusal(store, "lost")).isInstanceOf(Refusal.StoreRecovering.class);
            assertThat(Bench.renew(store, kept)).isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(server.ask("SELECT server FROM interlock_store")).endsWith("/00000002");

            server.execute("UPDATE interlock_store SET quiet_until = 0");
            assertThat(Bench.take(store, "lost").token().isAfter(lost.token())).isTrue();
        }
    }

    @Test
    void aGrantIsBeforeOrAfterANewEpochAndNeverAcross() throws Exception {
        try (LeaseStore store = harness.open(Environment.system())) {
            RowWait<AcquireAnswer> grant = RowWait.during(
                    harness.server(),
                    harness.latch(false),
                    () -> Bench.ask(store, Bench.asking("k")),
                    holder -> RowWait.execute(
                            holder,
                            "UPDATE " + harness.table("store") + " SET epoch = 1, quiet_until = 60000000 + "
                                    + harness.now()));
            assertThat(((AcquireAnswer.Refused) grant.answer()).refusal()).isInstanceOf(Refusal.StoreRecovering.class);

            RowWait<Instant> bump =
                    RowWait.during(harness.server(), harness.latch(true), () -> store.bumpEpoch("a test"));
            assertThat(bump.answer()).isAfterOrEqualTo(bump.letGo().plus(QUIET));
        }
    }

    @Test
    void theLongestLeaseIsRememberedAndOnlyGrows() {
        try (LeaseStore store = Stores.open(harness.url("maxLease=10m"))) {
            assertThat(store.capabilities().maxLease()).isEqualTo(Duration.ofMinutes(10));
        }
        try (LeaseStore store = Stores.open(harness.url("maxLease=1m"))) {
            assertThat(store.capabilities().maxLease()).isEqualTo(Duration.ofMinutes(10));
            store.bumpEpoch("a test");
            assertThat(refusal(store, "k").retryAfter()).isGreaterThan(Duration.ofMinutes(9));
        }
    }

    @Test
    void aServerThatLostHowLongLeasesMayLastIsToldByWhoeverStillKnows() {
        try (LeaseStore longest = Stores.open(harness.url("maxLease=1h"))) {
            Bench.take(longest, Bench.asking("lost").on(LeaseTerms.of(Duration.ofHours(1))));
        }
        try (LeaseStore store = harness.open(Environment.system())) {
            harness.server()
                    .execute(
                            "DELETE FROM " + harness.table("lease"),
                            "UPDATE " + harness.table("store") + " SET server = 'x/0000002A', max_lease = 300000000");
            assertThat(refusal(store, "lost").retryAfter()).isGreaterThan(Duration.ofMinutes(59));
        }
    }

    @Test
    void whenTheEpochsAreUsedUpItSaysSo() {
        harness.server().execute("UPDATE " + harness.table("store") + " SET epoch = " + TokenLayout.MAX_EPOCH);
        try (LeaseStore store = harness.open(Environment.system())) {
            assertThatThrownBy(() -> store.bumpEpoch("a test"))
                    .isInstanceOf(UnsafeStoreException.class)
                    .hasMessageContaining("2047");
        }
    }

    private String stored(String column) {
        return harness.server().ask("SELECT " + column + " FROM " + harness.table("store"));
    }

    private static Refusal refusal(LeaseStore store, String name) {
        return ((AcquireAnswer.Refused) Bench.ask(store, Bench.asking(name))).refusal();
    }
}
