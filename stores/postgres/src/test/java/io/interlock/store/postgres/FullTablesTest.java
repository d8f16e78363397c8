package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunQuery;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.TableNames;
import io.interlock.time.Environment;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A session makes its plans while the tables are empty, and keeps them when they are full. No statistics are gathered in
 * between, as on the first busy day of a store. No step may read more than the few rows it is about; batches of bare leases,
 * which have no transaction to make settings in, are left to the statistics.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FullTablesTest {

    private static final int MANY = 600;
    private static final int FEW = 120;

    /** The driver prepares a statement after five uses, the server keeps a plan after five more. */
    private static final int UNTIL_PLANS_ARE_KEPT = 12;

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final OneConnection session = new OneConnection(server);
    private final RunStore store = PostgresStore.on(
            session, harness.schema(), TableNames.DEFAULT_PREFIX, SchemaMode.NONE, Environment.system());

    @BeforeAll
    void fill() throws SQLException {
        for (int i = 0; i < UNTIL_PLANS_ARE_KEPT; i++) {
            all(new Steps("warm" + i, false));
        }
        for (int i = 0; i < MANY; i += 100) {
            store.runs().submit(requests("past", 100));
            store.work()
                    .finish(store.work().claim(RunWords.claiming(100)).stream()
                            .map(RunWords::finishing)
                            .toList());
        }
        for (int i = 0; i < MANY; i += 100) {
            store.runs().submit(requests("pending" + i, 100));
            store.runs()
                    .submit(IntStream.range(0, 100)
                            .mapToObj(j -> RunWords.submitting("long queue", ConflictPolicy.QUEUE))
                            .toList());
            store.tryAcquire(requests("leased" + i, 100).stream()
                    .map(request -> Bench.asking(request.key().name()))
                    .toList());
            store.tryAcquire(requests("bare" + i, 100).stream()
                    .map(request -> AcquireRequest.of(
                            List.of(LockKey.of("bare", request.key().name())),
                            LeaseId.random(Environment.system().random()),
                            Bench.HOLDER,
                            Bench.TTL))
                    .toList());
        }
    }

    private static List<SubmitRequest> requests(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> RunWords.submitting(name + "/" + i, ConflictPolicy.QUEUE))
                .toList();
    }

    @AfterAll
    void close() throws SQLException {
        store.close();
        session.real().close();
        harness.close();
    }

    @Test
    void noStepReadsMoreThanItIsAbout() throws SQLException {
        assertThat(Integer.parseInt(server.ask("SELECT count(*) FROM " + harness.table("run"))))
                .isGreaterThan(2 * MANY);
        all(new Steps("k", true));
    }

    /** A sweep looks at all open runs, and compared each of them with all keys. */
    @Test
    void aSweepGoesFromARunToTheRowOfItsKey() throws SQLException {
        store.upkeep().sweepRuns(1);
        String look = session.asked().stream()
                .filter(sql -> sql.startsWith("SELECT DISTINCT q.tenant, q.name"))
                .findAny()
                .orElseThrow();
        assertThat(plan(look)).contains("Index Cond: ((tenant = q.tenant) AND (name = q.name))");
    }

    private List<String> plan(String sql) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Statement statement = session.real().createStatement();
                ResultSet plan = statement.executeQuery("EXPLAIN " + sql)) {
            while (plan.next()) {
                lines.add(plan.getString(1).strip());
            }
        }
        return lines;
    }

    private void all(Steps steps) throws SQLException {
        String name = steps.name;
        LeaseRecord[] lease = new LeaseRecord[1];
        steps.take("first acquire", () -> lease[0] = Bench.take(store, name));
        steps.take("release", () -> Bench.release(store, lease[0]));
        steps.take("acquire", () -> lease[0] = Bench.take(store, name));
        steps.take("refusal", () -> Bench.ask(store, Bench.asking(name)));
        steps.take("eviction", () -> store.evict(new EvictRequest(lease[0].key(), lease[0].token(), "carol", "stuck")));
        steps.take("late release", () -> Bench.release(store, lease[0]));
        steps.take("several keys", () -> Bench.ask(store, Bench.asking(name + "/a", name + "/b")));
        Run[] run = new Run[1];
        steps.take("submission", () -> run[0] = RunWords.queued(store, name + "/run"));
        steps.take("waiting", () -> RunWords.queued(store, name + "/run"));
        steps.take("long queue", () -> RunWords.queued(store, "long queue"));
        steps.take(
                "rejection", () -> RunWords.submit(store, RunWords.submitting(name + "/run", ConflictPolicy.REJECT)));
        SubmitRequest limited = SubmitRequest.of(
                        RunWords.freshRun(), LockKey.of("bare", name + "/run"), RunWords.spec())
                .within(new LineLimits(10, MANY));
        steps.take("submission under a limit", () -> RunWords.submitted(store, limited));
        Claimed[] work = new Claimed[1];
        steps.take("claim", () -> work[0] = RunWords.claim(store));
        steps.take(
                "claim of all tenants",
                () -> store.work()
                        .claim(new ClaimRequest(RunWords.uuid(), RunWords.WORKER, null, Set.of(RunWords.JOB), 1)));
        steps.take(
                "claim of nothing",
                () -> store.work()
                        .claim(new ClaimRequest(
                                RunWords.uuid(), RunWords.WORKER, "acme", Set.of(new JobName("no")), 1)));
        steps.take("heartbeat", () -> store.work().heartbeat(List.of(RunWords.beating(work[0], "read"))));
        steps.take("ending", () -> store.work().finish(List.of(RunWords.finishing(work[0]))));
        steps.take("ending again", () -> store.work().finish(List.of(RunWords.finishing(work[0]))));
        steps.take("cancellation", () -> store.runs().cancel(new CancelRequest(run[0].id(), "carol", "enough")));
        steps.take("one run", () -> store.queries().findRun(run[0].id()));
        RunQuery labelled = RunQuery.ofTenant("acme").with(new RunQuery.Label("region", "eu"));
        steps.take("runs with a label", () -> store.queries().listRuns(labelled));
        steps.take(
                "failed runs with a label",
                () -> store.queries().listRuns(labelled.newestFirst().in(RunState.FAILED)));
        steps.take("explanation", () -> store.queries().explain(run[0].id()));
        steps.take("log of a key", () -> store.audit().records(run[0].key()));
    }

    /** Makes steps and, if wanted, counts what each has read. */
    private final class Steps {

        private final String name;
        private final boolean counted;

        Steps(String name, boolean counted) {
            this.name = name;
            this.counted = counted;
        }

        void take(String step, Runnable call) throws SQLException {
            long before = counted ? rowsRead() : 0;
            call.run();
            if (counted) {
                assertThat(rowsRead() - before).as("rows read by: " + step).isLessThan(FEW);
            }
        }
    }

    /** What the session has counted so far is there for all to see once it is told to tell. */
    private long rowsRead() throws SQLException {
        RowWait.value(session.real(), "SELECT pg_stat_force_next_flush()");
        return Long.parseLong(server.ask("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM"
                + " pg_stat_user_tables WHERE schemaname = '" + harness.schema() + "'"));
    }
}
