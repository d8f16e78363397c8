package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.run.Attempt.Claimed;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.TableNames;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Statistics are gathered while no run is open, as when all work is done, and a session makes its plans by them. Then many runs
 * come at once. Ten runs are claimed and ended without a look at all others.
 */
class EmptiedTablesTest {

    private static final int MANY = 1_000;
    private static final int BATCH = 10;

    /** The driver prepares a statement after five uses, the server keeps a plan after five more. */
    private static final int UNTIL_PLANS_ARE_KEPT = 12;

    @Test
    void aStepGoesFromItsRunsToTheTables() throws SQLException {
        PostgresHarness harness = new PostgresHarness();
        PostgresServer server = harness.server();
        OneConnection session = new OneConnection(server);
        try (harness;
                Connection real = session.real();
                RunStore store = PostgresStore.on(
                        session, harness.schema(), TableNames.DEFAULT_PREFIX, SchemaMode.NONE, Environment.system())) {
            store.runs().submit(requests("before"));
            while (work(store) > 0) {
                // Until no run is open.
            }
            server.execute("ANALYZE " + harness.table("open_run"));
            for (int i = 0; i < UNTIL_PLANS_ARE_KEPT; i++) {
                store.runs().submit(requests("some" + i).subList(0, BATCH));
                assertThat(work(store)).isEqualTo(BATCH);
            }
            store.runs().submit(requests("many"));
            long before = rowsRead(real, harness);
            assertThat(work(store)).isEqualTo(BATCH);
            assertThat(rowsRead(real, harness) - before).isLessThan(MANY);
        }
    }

    private static List<SubmitRequest> requests(String name) {
        return IntStream.range(0, MANY)
                .mapToObj(i -> RunWords.submitting(name + "/" + i, ConflictPolicy.QUEUE))
                .toList();
    }

    /** Claims runs and ends them; how many. */
    private static int work(RunStore store) {
        List<Claimed> claimed = store.work().claim(RunWords.claiming(BATCH));
        store.work().finish(claimed.stream().map(RunWords::finishing).toList());
        return claimed.size();
    }

    private static long rowsRead(Connection session, PostgresHarness harness) throws SQLException {
        RowWait.value(session, "SELECT pg_stat_force_next_flush()");
        return Long.parseLong(harness.server()
                .ask("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables"
                        + " WHERE schemaname = '" + harness.schema() + "' AND relname LIKE '%run'"));
    }
}
