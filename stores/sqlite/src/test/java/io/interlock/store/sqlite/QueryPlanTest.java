package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.JobName;
import io.interlock.run.KeyQuery;
import io.interlock.run.Retention;
import io.interlock.run.RunQuery;
import io.interlock.run.Seal;
import io.interlock.run.WorkerNote;
import io.interlock.spi.StoreUrl;
import io.interlock.time.Environment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks at the plan of every statement the store ever makes: none may walk through history. */
class QueryPlanTest {

    // Without an index, or by one that has all runs of a key, job or tenant in it and no number to begin from. Partial
    // indexes hold only what has not ended.
    private static final Pattern WALK = Pattern.compile("SCAN (main\\.)?(interlock_)?"
            + "(run|run_spec|attempt|audit|room|idempotency|seal|refusal_count|output|disposition)( |$)"
            + "(?!USING (COVERING )?INDEX interlock_(run_pending|run_open|run_dead|run_ended|room_due|room_blocked))"
            + "|interlock_run_(key|tenant|job|submitted) \\(tenant=\\?( AND \\w+=\\?)?\\)");

    @TempDir
    Path folder;

    private final Set<String> statements = new ConcurrentSkipListSet<>();

    @Test
    void noStatementWalksThroughHistory() {
        live();
        assertThat(statements).as("statements").hasSizeGreaterThan(60);
        try (TestDatabase database = new TestDatabase(folder.resolve("runs.db"))) {
            for (String sql : statements) {
                if (sql.startsWith("PRAGMA") || sql.startsWith("BEGIN") || sql.matches("COMMIT|ROLLBACK")) {
                    continue;
                }
                assertThat(database.columns("EXPLAIN QUERY PLAN " + sql, 4))
                        .as("plan of %s", sql)
                        .noneMatch(line -> WALK.matcher(line).find());
            }
        }
    }

    private void live() {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("runs.db")));
        FakeHostClock host = FakeHostClock.booted("boot-1");
        Environment environment = Environment.system();
        SqliteStore.open(settings, environment, host).close();
        StoreClock clock = new StoreClock("test", host, environment.clock());
        Connector recording = new Recording(new FileConnector(settings, environment.ticker()), settings);
        try (SqliteStore store = SqliteStore.open(recording, environment, clock, Duration.ofMinutes(5))) {
            RandomLife life = new RandomLife(store, new Random(1));
            for (int i = 0; i < 300; i++) {
                life.go();
                host.pass(Duration.ofSeconds(1));
                store.sweepRuns(10);
            }
            RunQuery all = RunQuery.ofTenant("acme");
            for (RunQuery query : Set.of(
                    all,
                    all.newestFirst(),
                    all.of(RandomLife.KEYS.get(0)),
                    all.in(RunState.SUCCEEDED),
                    all.doing(new JobName("load")),
                    all.since(Instant.EPOCH))) {
                store.listRuns(query);
            }
            life.submitted().forEach(store::attempts);
            life.submitted().forEach(store::explain);
            RandomLife.KEYS.forEach(store::audit);
            read(store, life.submitted());
        }
    }

    private static void read(SqliteStore store, List<RunId> runs) {
        AuditQuery newest = AuditQuery.ofTenant("acme", 9);
        List<AuditRecord> records = store.records(newest);
        for (AuditQuery query : List.of(
                new AuditQuery(null, null, null, null, null, 0, 9),
                new AuditQuery(null, RandomLife.KEYS.get(0), null, null, null, 0, 9),
                new AuditQuery(null, null, runs.get(0), null, null, 0, 9),
                new AuditQuery("acme", null, null, "evicted", null, 0, 9),
                new AuditQuery("acme", null, null, null, Instant.EPOCH, 0, 9))) {
            store.records(query);
        }
        Seal first = AuditChain.next(Seal.GENESIS, store.unsealed(1).get(0));
        store.seal(Seal.GENESIS, List.of(first));
        store.sealed(0, 9);
        store.deadLetters(DeadLetterQuery.openOf("acme"));
        store.deadLetters(new DeadLetterQuery(null, new JobName("load"), false, 0, 9));
        store.output(runs.get(0));
        store.refusals(records.get(0).key(), Instant.EPOCH);
        store.noteWorker(
                new WorkerNote(new Holder("w", "w"), "acme", Set.of(), 1, 0, WorkerNote.REMOTE, Instant.EPOCH));
        store.workers("acme", Duration.ofMinutes(1), 9);
        store.storeTime();
        store.keys(KeyQuery.ofTenant("acme"));
        store.tallies();
        store.forget(Retention.DEFAULT, 10);
    }

    /** A connector whose sessions tell what they prepare. */
    private final class Recording implements Connector {

        private final FileConnector real;
        private final SqliteSettings settings;

        Recording(FileConnector real, SqliteSettings settings) {
            this.real = real;
            this.settings = settings;
        }

        @Override
        public String store() {
            return real.store();
        }

        @Override
        public Patience patience() {
            return real.patience();
        }

        @Override
        public Session open() throws SQLException {
            Connection connection = real.open().connection();
            return new Session(
                    (Connection) Proxy.newProxyInstance(
                            Connection.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (proxy, method, args) -> {
                                if (method.getName().equals("prepareStatement")) {
                                    statements.add((String) args[0]);
                                }
                                try {
                                    return method.invoke(connection, args);
                                } catch (InvocationTargetException failure) {
                                    throw failure.getCause();
                                }
                            }),
                    settings.names());
        }

        @Override
        public void check(Session session) {
            real.check(session);
        }
    }
}
