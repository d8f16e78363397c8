package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.UnsafeStoreException;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.Retention;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.Stores;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
    void aRoleThatMayNotCreateWorksOnTablesThatAnotherCreated() {
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
                assertThat(store.work()
                                .heartbeat(List.of(RunWords.beating(work, "copy")))
                                .only())
                        .isInstanceOf(HeartbeatAnswer.Beating.class);
                assertThat(store.work()
                                .finish(List.of(RunWords.finishing(work)))
                                .only())
                        .isInstanceOf(FinishAnswer.Finished.class);
                store.runs().pause(new PauseRequest("acme", "k", "carol", "upgrade", null));
                store.runs().resume(new ResumeRequest("acme", "k", "carol", "done"));
                Seal link = AuditChain.next(
                        store.audit().head(), store.audit().unsealed(1).get(0));
                assertThat(store.audit().seal(store.audit().head(), List.of(link)))
                        .isTrue();
                store.upkeep().sweepRuns(10);
                store.upkeep().forget(Retention.DEFAULT, 10);
                store.sweep(10);
                store.bumpEpoch("a test");
            }
        } finally {
            server.execute("DROP OWNED BY worker", "DROP ROLE worker");
        }
    }

    @Test
    void aRoleThatMayNotChangeTheAuditLogDoesEverythingButForget() throws Exception {
        server.execute("CREATE ROLE appender LOGIN");
        try {
            String schema = harness.schema();
            Matcher block = Pattern.compile("(?ms)<!-- run by: SchemaTest -->\n *```sql\n(.*?)^ *```$")
                    .matcher(Files.readString(Path.of("../../docs/stores.md")));
            assertThat(block.find()).isTrue();
            String statements = block.group(1)
                    .replace("SCHEMA public", "SCHEMA " + schema)
                    .replaceAll(" il;", " appender;")
                    .replaceAll("interlock_(\\w+)", harness.table("$1"));
            assertThat(statements.split(";\n")).hasSize(5);
            server.execute(statements.split(";\n"));
            String url = "postgresql://appender@localhost:" + server.port() + "/postgres?schema=" + schema;
            try (RunStore store = (RunStore) Stores.open(url + "&migrate=none")) {
                LeaseRecord lease = Bench.take(store, "k");
                assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
                RunWords.queued(store, "k");
                Claimed work = RunWords.claim(store);
                assertThat(store.work()
                                .heartbeat(List.of(RunWords.beating(work, "copy")))
                                .only())
                        .isInstanceOf(HeartbeatAnswer.Beating.class);
                assertThat(store.work()
                                .finish(List.of(RunWords.finishing(work)))
                                .only())
                        .isInstanceOf(FinishAnswer.Finished.class);
                store.runs().pause(new PauseRequest("acme", "k", "carol", "upgrade", null));
                store.runs().resume(new ResumeRequest("acme", "k", "carol", "done"));
                Seal link = AuditChain.next(
                        store.audit().head(), store.audit().unsealed(1).get(0));
                assertThat(store.audit().seal(store.audit().head(), List.of(link)))
                        .isTrue();
                assertThat(store.audit().sign(AuditSignature.NONE, new AuditSignature(1, "signature")))
                        .isTrue();
                assertThat(store.audit().numbers().missing()).isZero();
                store.upkeep().sweepRuns(10);
                store.upkeep().forget(Retention.DEFAULT, 10);
                store.sweep(10);
                harness.advance(Retention.DEFAULT.audit().plusDays(1));
                assertThatThrownBy(() -> store.upkeep().forget(Retention.DEFAULT, 10))
                        .hasMessageContaining("permission denied");
                assertThat(store.audit().anchor()).isEqualTo(Seal.GENESIS);
            }
            try (Connection connection = source("appender").getConnection()) {
                for (String change : List.of(
                        "UPDATE " + harness.table("audit") + " SET actor = 'another'",
                        "DELETE FROM " + harness.table("audit"),
                        "TRUNCATE " + harness.table("audit"),
                        "UPDATE " + harness.table("seal") + " SET hash = ''",
                        "DELETE FROM " + harness.table("seal"),
                        "TRUNCATE " + harness.table("seal"),
                        "UPDATE " + harness.table("seal_anchor") + " SET position = 1",
                        "DELETE FROM " + harness.table("seal_anchor"))) {
                    assertThatThrownBy(() -> RowWait.execute(connection, change))
                            .as(change)
                            .hasMessageContaining("permission denied");
                }
            }
        } finally {
            server.execute("DROP OWNED BY appender", "DROP ROLE appender");
        }
    }

    @Test
    void aLogThatWasEmptiedIsNotSoByTheCounter() {
        try (RunStore store = harness.open(Environment.system())) {
            RunWords.queued(store, "k");
            server.execute(
                    "SELECT setval(pg_get_serial_sequence('" + harness.table("audit") + "', 'sequence'), 100000)",
                    "DELETE FROM " + harness.table("audit"));
            assertThat(store.audit().numbers()).isEqualTo(new AuditLog.Numbers(100_000, 0, 1_000));
            assertThat(store.audit().numbers().missing()).isEqualTo(100_000);
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
    void aKeyThatIsNotUsedForAMinuteIsForgottenAndItsTokensStillRise() {
        try (LeaseStore store = harness.open(Environment.system())) {
            LeaseRecord before = Bench.take(store, "k");
            Bench.release(store, before);
            store.sweep(10);
            assertThat(rows()).isEqualTo("1");
            harness.advance(Duration.ofMinutes(2));
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
            harness.advance(Duration.ofMinutes(2));
            store.sweep(10);
            assertThat(rows()).isEqualTo("1");
        }
    }

    @Test
    void manyProcessesMayCreateAStoreAtOnceAlsoUnderSeveralPrefixes() throws Exception {
        ExecutorService processes = Executors.newFixedThreadPool(4);
        CyclicBarrier together = new CyclicBarrier(4);
        try {
            List<Future<String>> tokens = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String url = server.url("schema=fresh&timeout=30s&prefix=p" + i / 2 + "_");
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
    void namesMayBeWordsOfSqlAndAsLongAsAllowed() {
        String longest = "p".repeat(31);
        try (LeaseStore store = Stores.open(server.url("schema=user&prefix=" + longest));
                LeaseStore neighbour = Stores.open(server.url("schema=user&prefix=select"))) {
            LeaseRecord lease = Bench.take(store, "k");
            Bench.take(neighbour, "k");
            assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
            RunWords.queued((RunStore) store, "k");
            RunStore runs = (RunStore) store;
            runs.work().finish(List.of(RunWords.finishing(RunWords.claim(runs))));
            store.sweep(1);
            store.bumpEpoch("a test");
        } finally {
            server.execute("DROP SCHEMA IF EXISTS \"user\" CASCADE");
        }
    }

    @Test
    void aStepIsDurableAndPatientWhateverTheSessionSays() {
        server.execute(
                "CREATE ROLE careless SUPERUSER LOGIN",
                "ALTER ROLE careless SET synchronous_commit = off",
                "ALTER ROLE careless SET lock_timeout = 0",
                "CREATE TABLE " + harness.schema() + ".noted (setting text)",
                "CREATE FUNCTION " + harness.schema() + ".note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " INSERT INTO " + harness.schema() + ".noted VALUES (current_setting('synchronous_commit')"
                        + " || ' ' || (current_setting('lock_timeout') = '0')); RETURN NULL; END $$");
        for (String table : List.of("lease", "open_run", "run", "audit", "pause")) {
            server.execute("CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON " + harness.table(table)
                    + " FOR EACH ROW EXECUTE FUNCTION " + harness.schema() + ".note()");
        }
        // A pooler in transaction mode: the next call gets any session, and none remembers anything.
        ForgetfulDataSource pooled = new ForgetfulDataSource(source("careless"));
        try (SqlStore store =
                PostgresStore.on(pooled, harness.schema(), "interlock_", SchemaMode.APPLY, Environment.system())) {
            LeaseRecord lease = Bench.take(store, "k");
            assertThat(Bench.renew(store, lease)).isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
            assertThat(Bench.take(store, "k").token()).isGreaterThan(lease.token());
            RunWords.queued(store, "other");
            store.work().finish(List.of(RunWords.finishing(RunWords.claim(store))));
            store.runs().pause(new PauseRequest("acme", "k", "carol", "upgrade", null));
            assertThat(pooled.given()).isGreaterThan(6);
            assertThat(server.ask("SELECT count(*) FROM " + harness.schema() + ".noted WHERE setting LIKE 'on %'"))
                    .isNotEqualTo("0");
            assertThat(server.ask("SELECT count(*) FROM " + harness.schema() + ".noted WHERE setting LIKE 'off %'"))
                    .as("not durable")
                    .isEqualTo("0");
        } finally {
            server.execute(
                    "DROP FUNCTION " + harness.schema() + ".note CASCADE",
                    "DROP TABLE " + harness.schema() + ".noted",
                    "DROP ROLE careless");
        }
    }

    @Test
    void theShortWayMakesTokensAsTheRulesDo() {
        try (LeaseStore store = harness.open(Environment.system())) {
            LeaseRecord first = Bench.take(store, "k");
            Bench.release(store, first);
            LeaseRecord byClock = Bench.take(store, "k");
            assertThat(byClock.token()).isEqualTo(TokenLayout.next(first.token().value(), 0, 0, byClock.grantedAt()));
            Bench.release(store, byClock);
            // As if the clock had been set back since.
            long ahead = byClock.token().value() + 1_000_000;
            server.execute("UPDATE " + harness.table("lease") + " SET token = " + ahead);
            LeaseRecord byToken = Bench.take(store, "k");
            assertThat(byToken.token()).isEqualTo(TokenLayout.next(ahead, 0, 0, byToken.grantedAt()));
        }
    }

    @Test
    void anotherThatMigratesIsWaitedFor() throws Exception {
        try (LeaseStore store = RowWait.during(
                        server,
                        "SELECT pg_advisory_xact_lock(" + KeyHash.of("interlock migration of slow") + ")",
                        () -> Stores.open(server.url("schema=slow")))
                .answer()) {
            Bench.take(store, "k");
        } finally {
            server.execute("DROP SCHEMA IF EXISTS slow CASCADE");
        }
    }

    /** An operator of exactly the types that are given is preferred to those of PostgreSQL that have to convert. */
    @Test
    void whatOthersPutIntoTheSearchPathIsNotCalled() {
        server.execute("CREATE SCHEMA trap", "CREATE TABLE trap.caught (operator text)", """
                DO $do$
                DECLARE
                    o record;
                BEGIN
                    FOR o IN
                        SELECT op, l, r, row_number() OVER () AS n, op ~ '[=<>]' AND op !~ '<<|>>' AS compares
                          FROM unnest(ARRAY['+', '-', '*', '/', '=', '<', '>', '<=', '>=', '<<', '>>', '|']) AS op,
                               unnest(ARRAY['smallint', 'integer', 'bigint', 'numeric', 'text', 'uuid']) AS l,
                               unnest(ARRAY['smallint', 'integer', 'bigint', 'numeric', 'text', 'uuid']) AS r
                         WHERE NOT EXISTS (SELECT FROM pg_operator AS p WHERE p.oprname = op
                               AND p.oprleft = l::regtype AND p.oprright = r::regtype)
                    LOOP
                        EXECUTE format('CREATE FUNCTION trap.f%s(%s, %s) RETURNS %s LANGUAGE sql AS
                            $$ INSERT INTO trap.caught VALUES (%L); SELECT %s $$', o.n, o.l, o.r,
                            CASE WHEN o.compares THEN 'boolean' ELSE 'numeric' END, o.l || o.op || o.r,
                            CASE WHEN o.compares THEN 'true' ELSE '7.0' END);
                        EXECUTE format('CREATE OPERATOR trap.%s (FUNCTION = trap.f%s, LEFTARG = %s, RIGHTARG = %s)',
                            o.op, o.n, o.l, o.r);
                    END LOOP;
                END $do$""");
        PGSimpleDataSource trapped = source("postgres");
        trapped.setOptions("-c search_path=public,trap");
        try (SqlStore store =
                PostgresStore.on(trapped, harness.schema(), "interlock_", SchemaMode.APPLY, Environment.system())) {
            LeaseRecord lease = Bench.take(store, "k");
            Bench.renew(store, lease);
            store.list(LeaseQuery.all());
            Bench.release(store, lease);
            RunWords.queued(store, "k");
            store.work().finish(List.of(RunWords.finishing(RunWords.claim(store))));
            store.sweep(1);
            store.upkeep().sweepRuns(1);
            assertThat(server.ask("SELECT string_agg(DISTINCT operator, ', ') FROM trap.caught"))
                    .isEqualTo("null");
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
