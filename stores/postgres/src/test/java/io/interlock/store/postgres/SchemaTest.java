package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.RunId;
import io.interlock.UnsafeStoreException;
import io.interlock.run.AuditChain;
import io.interlock.run.BeatAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.Retention;
import io.interlock.run.Seal;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.Stores;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.store.jdbc.Migration;
import io.interlock.store.jdbc.Migrator;
import io.interlock.store.jdbc.SchemaMode;
import io.interlock.store.jdbc.TableNames;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.ds.PGSimpleDataSource;

/** Tables, roles and sessions. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemaTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void close() {
        harness.close();
    }

    @Test
    void twoStoresInOneDatabaseDoNotMeet() {
        try (LeaseStore one = harness.open(Environment.system());
                LeaseStore two = Stores.open(harness.url("prefix=other_"));
                LeaseStore three = Stores.open(server.url("schema=third&prefix=x_"))) {
            for (LeaseStore store : List.of(one, two, three)) {
                Bench.take(store, "k");
                assertThat(store.list(LeaseQuery.all()).leases()).hasSize(1);
            }
            one.bumpEpoch("a test");
            Bench.take(two, "still granted here");
        } finally {
            server.execute("DROP SCHEMA third CASCADE");
        }
    }

    @Test
    void aRoleThatMayNotCreateWorksOnTablesSomebodyElseCreated() {
        server.execute("CREATE ROLE worker LOGIN");
        try {
            server.execute(
                    "GRANT USAGE ON SCHEMA " + harness.schema() + " TO worker",
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + harness.schema() + " TO worker",
                    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + harness.schema() + " TO worker");
            String url = "postgresql://worker@localhost:" + server.port() + "/postgres?schema=" + harness.schema();
            try (RunStore store = (RunStore) Stores.open(url + "&migrate=none")) {
                LeaseRecord lease = Bench.take(store, "k");
                assertThat(Bench.renew(store, lease)).isInstanceOf(RenewAnswer.Renewed.class);
                assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
                RunWords.queued(store, "k");
                Claimed work = RunWords.claim(store);
                assertThat(store.beat(List.of(RunWords.beating(work, "copy"))).only())
                        .isInstanceOf(BeatAnswer.Beating.class);
                assertThat(store.finish(List.of(RunWords.finishing(work))).only())
                        .isInstanceOf(FinishAnswer.Finished.class);
                store.pause(new PauseRequest("acme", "k", "carol", "upgrade", null));
                store.resume(new ResumeRequest("acme", "k", "carol", "done"));
                Seal link = AuditChain.next(store.head(), store.unsealed(1).get(0));
                assertThat(store.seal(store.head(), List.of(link))).isTrue();
                store.sweepRuns(10);
                store.forget(Retention.DEFAULT, 10);
                store.sweep(10);
                store.bumpEpoch("a test");
            }
        } finally {
            server.execute("DROP OWNED BY worker", "DROP ROLE worker");
        }
    }

    @Test
    void nothingReliesOnTheStateOfASession() {
        server.execute("CREATE ROLE forgetful SUPERUSER LOGIN", "ALTER ROLE forgetful SET synchronous_commit = off");
        PGSimpleDataSource raw = source("forgetful");
        // A pooler in transaction mode: whoever comes next gets some session, and none remembers anything.
        ForgetfulDataSource pooled = new ForgetfulDataSource(raw);
        try (PostgresStore store =
                PostgresStore.on(pooled, harness.schema(), "interlock_", SchemaMode.APPLY, Environment.system())) {
            LeaseRecord lease = Bench.take(store, "k");
            assertThat(Bench.renew(store, lease)).isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
            assertThat(Bench.take(store, "k").token().isAfter(lease.token())).isTrue();
            assertThat(pooled.given()).isGreaterThan(4);
        } finally {
            server.execute("DROP ROLE forgetful");
        }
    }

    @Test
    void aStepSwitchesOnWhatItNeedsForItsOwnTransaction() throws Exception {
        try (Connection connection = server.connect()) {
            RowWait.execute(connection, "SET synchronous_commit = off; SET lock_timeout = 0");
            connection.setAutoCommit(false);
            RowWait.value(connection, "SELECT verdict FROM " + harness.table("sweep") + "(1500, 1)");
            assertThat(RowWait.value(connection, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(RowWait.value(connection, "SHOW lock_timeout")).isEqualTo("1500ms");
            connection.commit();
            assertThat(RowWait.value(connection, "SHOW synchronous_commit")).isEqualTo("off");
        }
    }

    @Test
    void connectionsWithAnotherIsolationAreRefused() {
        PGSimpleDataSource strict = source("postgres");
        strict.setOptions("-c default_transaction_isolation=serializable");
        assertThatThrownBy(() -> PostgresStore.on(
                        strict, harness.schema(), "interlock_", SchemaMode.APPLY, Environment.system()))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("serializable")
                .hasMessageContaining("read committed");
    }

    @Test
    void theServerMakesTokensAsTokenLayoutDoes() {
        for (int epoch : new int[] {0, 1, 7, TokenLayout.MAX_EPOCH}) {
            for (String at :
                    List.of("2024-01-01T00:00:00Z", "2026-11-15T10:00:00.123999Z", "2140-01-01T00:00:00.001Z")) {
                assertThat(server.ask("SELECT " + harness.table("token_by_clock") + "(" + epoch + ", '" + at
                                + "'::timestamptz)"))
                        .isEqualTo(Long.toString(TokenLayout.byClock(epoch, Instant.parse(at))));
            }
        }
    }

    @Test
    void aKeyNobodyUsedForADayIsForgottenAndItsTokensStillRise() {
        try (LeaseStore store = harness.open(Environment.system())) {
            LeaseRecord before = Bench.take(store, "k");
            Bench.release(store, before);
            harness.advance(Duration.ofHours(23));
            store.sweep(10);
            assertThat(rows()).isEqualTo("1");
            harness.advance(Duration.ofHours(2));
            store.sweep(10);
            assertThat(rows()).isEqualTo("0");
            assertThat(server.ask("SELECT token_floor FROM " + harness.table("store")))
                    .isEqualTo(before.token().toString());
            // As if the clock had been set back since.
            server.execute("UPDATE " + harness.table("store") + " SET token_floor = 1000000000000");
            assertThat(Bench.take(store, "k").token().value()).isEqualTo(1_000_000_000_001L);
        }
    }

    @Test
    void aKeyWhoseTokenIsAheadOfTheClockIsNotForgotten() {
        try (LeaseStore store = harness.open(Environment.system())) {
            Bench.release(store, Bench.take(store, "k"));
            server.execute("UPDATE " + harness.table("lease") + " SET token = 4000000000000");
            harness.advance(Duration.ofHours(25));
            store.sweep(10);
            assertThat(rows()).isEqualTo("1");
        }
    }

    @Test
    void manyProcessesMayCreateAStoreAtOnceAlsoUnderSeveralPrefixes() throws Exception {
        ExecutorService processes = Executors.newFixedThreadPool(8);
        CyclicBarrier together = new CyclicBarrier(8);
        try {
            List<Future<String>> tokens = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String url = server.url("schema=fresh&timeout=30s&prefix=p" + i / 4 + "_");
                tokens.add(processes.submit(() -> {
                    together.await(10, TimeUnit.SECONDS);
                    try (LeaseStore store = Stores.open(url)) {
                        return Bench.ask(store, Bench.asking("k")).getClass().getSimpleName();
                    }
                }));
            }
            List<String> answers = new ArrayList<>();
            for (Future<String> token : tokens) {
                answers.add(token.get(40, TimeUnit.SECONDS));
            }
            assertThat(answers).filteredOn("Granted"::equals).hasSize(2);
            assertThat(server.ask("SELECT count(*) = max(version) FROM fresh.p0_migration"))
                    .as("each migration was applied once")
                    .isEqualTo("t");
        } finally {
            processes.shutdownNow();
            server.execute("DROP SCHEMA IF EXISTS fresh CASCADE");
        }
    }

    @Test
    void whoeverOpensWhileAnotherMigratesWaitsForIt() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        long migration = KeyHash.of("interlock migration of slow");
        try (Connection migrating = server.connect()) {
            migrating.setAutoCommit(false);
            RowWait.value(migrating, "SELECT pg_advisory_xact_lock(" + migration + ")");
            Future<LeaseStore> opening = other.submit(() -> Stores.open(server.url("schema=slow&timeout=1s")));
            await().until(() -> opening.isDone()
                    || server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'"
                                    + " AND query LIKE '%" + migration + "%' AND now() - query_start > '1300 ms'")
                            .equals("1"));
            migrating.commit();
            try (LeaseStore store = opening.get(30, TimeUnit.SECONDS)) {
                Bench.take(store, "k");
            }
        } finally {
            other.shutdownNow();
            server.execute("DROP SCHEMA IF EXISTS slow CASCADE");
        }
    }

    @Test
    void leasesOfTheFirstSchemaLiveOn() throws Exception {
        TableNames names = new TableNames("old", "interlock_");
        server.execute("CREATE SCHEMA old");
        try (Connection connection = server.connect()) {
            new Migrator(
                            "old",
                            names,
                            Migration.load(Opening.class, "001_leases.sql"),
                            Environment.system().clock())
                    .run(SchemaMode.APPLY, connection, (same, work) -> work.run());
            RowWait.execute(
                    connection,
                    "INSERT INTO old.interlock_lease (tenant, name, lease_id, instance, label, token, granted_at,"
                            + " expires_at) VALUES ('acme', 'k', '00000000-0000-0000-0000-000000000007', 'i', 'l', 7, now(),"
                            + " now() + interval '30 s')");
            try (RunStore store = (RunStore) Stores.open(server.url("schema=old"))) {
                LeaseRecord lease = store.find(List.of(Bench.key("k"))).get(0).orElseThrow();
                assertThat(Bench.renew(store, lease)).isInstanceOf(RenewAnswer.Renewed.class);
                RunId waiting = RunWords.queued(store, "k").id();
                Bench.release(store, lease);
                assertThat(RunWords.claim(store).run().id()).isEqualTo(waiting);
            }
        } finally {
            server.execute("DROP SCHEMA old CASCADE");
        }
    }

    @Test
    void namesMayBeWordsOfSqlAndAsLongAsAllowed() {
        String longest = "p".repeat(31);
        try (LeaseStore store = Stores.open(server.url("schema=user&prefix=" + longest));
                LeaseStore neighbour = Stores.open(server.url("schema=user&prefix=select"))) {
            LeaseRecord lease = Bench.take(store, "k");
            Bench.take(neighbour, "k");
            assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
            RunWords.queued((RunStore) store, "k");
            RunStore runs = (RunStore) store;
            runs.finish(List.of(RunWords.finishing(RunWords.claim(runs))));
            store.sweep(1);
            store.bumpEpoch("a test");
        } finally {
            server.execute("DROP SCHEMA IF EXISTS \"user\" CASCADE");
        }
    }

    @Test
    void whatOthersPutIntoTheSearchPathIsNotCalled() {
        server.execute(
                "CREATE SCHEMA trap",
                "CREATE TABLE trap.caught (n integer)",
                "CREATE FUNCTION trap.join(integer, text) RETURNS text LANGUAGE sql AS"
                        + " $$ INSERT INTO trap.caught VALUES ($1); SELECT '5000ms' $$",
                "CREATE OPERATOR trap.|| (FUNCTION = trap.join, LEFTARG = integer, RIGHTARG = text)",
                "CREATE FUNCTION trap.cardinality(text[]) RETURNS integer LANGUAGE sql AS"
                        + " $$ INSERT INTO trap.caught VALUES (0); SELECT pg_catalog.cardinality($1) $$",
                "CREATE FUNCTION trap.cardinality(uuid[]) RETURNS integer LANGUAGE sql AS"
                        + " $$ INSERT INTO trap.caught VALUES (0); SELECT pg_catalog.cardinality($1) $$",
                "CREATE FUNCTION trap.cardinality(integer[]) RETURNS integer LANGUAGE sql AS"
                        + " $$ INSERT INTO trap.caught VALUES (0); SELECT pg_catalog.cardinality($1) $$");
        PGSimpleDataSource trapped = source("postgres");
        trapped.setOptions("-c search_path=public,trap");
        try (PostgresStore store =
                PostgresStore.on(trapped, harness.schema(), "interlock_", SchemaMode.APPLY, Environment.system())) {
            LeaseRecord lease = Bench.take(store, "k");
            Bench.renew(store, lease);
            store.find(List.of(lease.key()));
            store.list(LeaseQuery.all());
            store.evict(new EvictRequest(lease.key(), lease.token(), "me", "a test"));
            Bench.release(store, lease);
            store.sweep(1);
            store.bumpEpoch("a test");
            assertThat(server.ask("SELECT count(*) FROM trap.caught")).isEqualTo("0");
        } finally {
            server.execute("DROP SCHEMA trap CASCADE");
        }
    }

    private String rows() {
        return server.ask("SELECT count(*) FROM " + harness.table("lease"));
    }

    private PGSimpleDataSource source(String user) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setPortNumbers(new int[] {server.port()});
        source.setUser(user);
        source.setDatabaseName("postgres");
        return source;
    }
}
