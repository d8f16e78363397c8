package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.JobName;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Retention;
import io.interlock.run.RunQuery;
import io.interlock.run.WorkerNote;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks at the plan of every statement the store ever makes: none may walk through a table that grows. */
class QueryPlanTest {

    private static final String LOST_KEYS = "SELECT DISTINCT q.tenant, q.name FROM";
    private static final Pattern SCAN = Pattern.compile("SCAN (\\w+)(?: USING (?:COVERING )?INDEX interlock_(\\w+))?$");

    /** What they hold is few: open, due or dead. */
    private static final Set<String> PARTIAL_INDEXES = Set.of(
            "lease_due",
            "lease_blocked",
            "lease_resource",
            "open_run_claim",
            "open_run_due",
            "open_run_waiting_due",
            "failed_run_dead");

    private static final Set<String> SMALL_TABLES = Set.of("store", "pause", "worker", "access_key", "sign_in");

    /** Counts everything that is open, as it is meant to. */
    private static final String TALLIES = "SELECT q.tenant, q.job, q.state, count(*)";

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
                        .noneMatch(line -> walks(sql, line));
            }
        }
    }

    private static boolean walks(String sql, String line) {
        Matcher scan = SCAN.matcher(line);
        if (!scan.find()
                || PARTIAL_INDEXES.contains(String.valueOf(scan.group(2)))
                || sql.startsWith(TALLIES)
                // Looks at all open runs, and says that it does so the less often the more there are.
                || sql.startsWith(LOST_KEYS)) {
            return false;
        }
        String alias = scan.group(1);
        Matcher table = Pattern.compile("interlock_(\\w+) AS " + alias + "\\b").matcher(sql);
        // The rows of a subquery, or the first ones in the order of the table's own key.
        boolean first = Pattern.compile("ORDER BY " + alias + "\\.(sequence|position)( DESC)? LIMIT")
                .matcher(sql)
                .find();
        return table.find() && !SMALL_TABLES.contains(table.group(1)) && !first;
    }

    private void live() {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("runs.db")));
        FakeHostClock host = FakeHostClock.booted("boot-1");
        Environment environment = Environment.system();
        SqliteStoreFactory.open(settings, environment, host).close();
        StoreClock clock = new StoreClock("test", host, environment.clock());
        SqliteDialect dialect = new SqliteDialect(settings.names(), clock);
        FileConnector recording = new Recording(settings, dialect, environment.ticker());
        try (SqlStore store = SqliteStoreFactory.open(recording, dialect, clock, environment, Duration.ofMinutes(5))) {
            RandomLife life = new RandomLife(store, new Random(1));
            for (int i = 0; i < 300; i++) {
                life.go();
                host.pass(Duration.ofSeconds(1));
                store.upkeep().sweepRuns(10);
            }
            RunQuery all = RunQuery.ofTenant("acme");
            for (RunQuery query : Set.of(
                    all,
                    all.newestFirst(),
                    all.of(RandomLife.KEYS.get(0)),
                    all.in(RunState.SUCCEEDED),
                    all.doing(new JobName("load")),
                    all.with(new RunQuery.Label("region", "eu")),
                    all.with(new RunQuery.Label("region", "eu")).in(RunState.DEAD),
                    all.with(new RunQuery.Label("region", "eu")).in(RunState.QUEUED),
                    all.failing(new RunQuery.Failure(Instant.EPOCH, "BROKEN", false)),
                    all.failing(new RunQuery.Failure(null, null, true)).in(RunState.DEAD),
                    all.with(new RunQuery.Label("region", "eu"))
                            .failing(new RunQuery.Failure(Instant.EPOCH, "BROKEN", true)),
                    all.since(Instant.EPOCH))) {
                store.queries().listRuns(query);
            }
            life.submitted().forEach(store.queries()::attempts);
            life.submitted().forEach(store.queries()::explain);
            RandomLife.KEYS.forEach(store.audit()::records);
            read(store, life.submitted());
        }
    }

    private static void read(SqlStore store, List<RunId> runs) {
        AuditQuery newest = AuditQuery.ofTenant("acme", 9);
        List<AuditRecord> records = store.audit().records(newest);
        for (AuditQuery query : List.of(
                new AuditQuery(null, null, null, null, null, 0, 9),
                new AuditQuery(null, RandomLife.KEYS.get(0), null, null, null, 0, 9),
                new AuditQuery(null, null, runs.get(0), null, null, 0, 9),
                new AuditQuery("acme", null, null, "evicted", null, 0, 9),
                new AuditQuery("acme", null, null, null, Instant.EPOCH, 0, 9))) {
            store.audit().records(query);
        }
        Seal first = AuditChain.next(Seal.GENESIS, store.audit().unsealed(1).get(0));
        store.audit().seal(Seal.GENESIS, List.of(first));
        store.audit().sealed(0, 9);
        store.queries().deadLetters(DeadLetterQuery.openOf("acme"));
        store.queries().deadLetters(new DeadLetterQuery(null, new JobName("load"), false, 0, 9));
        store.queries().outputs(runs.get(0));
        store.notes().refusals(records.get(0).key(), Instant.EPOCH);
        store.notes()
                .noteWorker(
                        new WorkerNote(new Holder("w", "w"), "acme", Set.of(), 1, 0, WorkerNote.REMOTE, Instant.EPOCH));
        store.notes().workers("acme", Duration.ofMinutes(1), 9);
        store.views().storeTime();
        store.views().keys(KeyQuery.ofTenant("acme"));
        store.views().runCounts();
        store.upkeep().forget(Retention.DEFAULT, 10);
    }

    /** A connector whose connections tell what they prepare. */
    private final class Recording extends FileConnector {

        private final SqliteDialect dialect;

        Recording(SqliteSettings settings, SqliteDialect dialect, Ticker ticker) {
            super(settings, dialect, ticker);
            this.dialect = dialect;
        }

        @Override
        SqlConnection open() throws SQLException {
            Connection connection = super.open().jdbc();
            return new SqlConnection(
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
                    dialect);
        }
    }
}
