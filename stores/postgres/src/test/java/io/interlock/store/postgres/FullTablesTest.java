package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A session makes its plans while the tables are empty, and keeps them when they are full. Nobody gathers statistics in
 * between, as on the first busy day of a store. No step may read more than the few rows it is about.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FullTablesTest {

    private static final int MANY = 600;
    private static final int FEW = 120;

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();

    @BeforeAll
    void fill() {
        try (RunStore store = harness.open(Environment.system())) {
            for (String name : List.of("past", "waiting")) {
                for (int i = 0; i < MANY; i += 100) {
                    store.submit(requests(name, 100));
                    store.claim(RunWords.claiming(100))
                            .forEach(work -> store.finish(List.of(RunWords.finishing(work))));
                }
            }
            for (int i = 0; i < MANY; i += 100) {
                store.submit(requests("line", 50));
                store.submit(requests("pending" + i, 100));
            }
        }
        server.execute("CREATE TABLE " + harness.schema() + ".full_run AS TABLE " + harness.table("run"));
        server.execute("CREATE TABLE " + harness.schema() + ".full_lease AS TABLE " + harness.table("lease"));
    }

    private static List<SubmitRequest> requests(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> RunWords.submitting(name + "/" + i, ConflictPolicy.QUEUE))
                .toList();
    }

    @AfterAll
    void close() {
        harness.close();
    }

    static Stream<String> steps() {
        String key = "1000, ARRAY['acme'], ARRAY['pending0/7']";
        String runs = RunJson.of(List.of(RunWords.submitting("pending0/7", ConflictPolicy.QUEUE)));
        String id = "'00000000-0000-0000-0000-000000000001'";
        return Stream.of(
                "claim(1000, gen_random_uuid(), 'i', 'l', 'acme', ARRAY['load'], 1)",
                "claim(1000, gen_random_uuid(), 'i', 'l', NULL, ARRAY['load'], 1)",
                "claim(1000, gen_random_uuid(), 'i', 'l', 'acme', ARRAY['other'], 1)",
                "submit(" + key + ", ARRAY[1], '" + runs + "', ARRAY[NULL], ARRAY[NULL], ARRAY[NULL::bigint],"
                        + " ARRAY[NULL::uuid], ARRAY[NULL], ARRAY[NULL])",
                "finish(" + key + ", ARRAY[1], ARRAY[" + id + "::uuid], ARRAY[" + id + "::uuid], ARRAY[1::bigint],"
                        + " ARRAY['SUCCEEDED'], ARRAY[NULL], ARRAY[NULL], ARRAY[NULL], ARRAY[false], ARRAY[NULL::bigint])",
                "acquire(" + key + ", ARRAY[gen_random_uuid()], ARRAY['i'], ARRAY['l'], ARRAY[NULL::uuid],"
                        + " ARRAY[30000000::bigint], ARRAY[0::bigint], ARRAY[true], ARRAY[false], ARRAY[1, 2], ARRAY[1],"
                        + " ARRAY[NULL::bigint])",
                "release(" + key + ", ARRAY[1], ARRAY[" + id + "::uuid], ARRAY[1::bigint])",
                "evict(1000, 'acme', 'pending0/7', 1, 'carol', 'stuck')",
                "sweep_runs(1000, 10, false)");
    }

    @ParameterizedTest
    @MethodSource("steps")
    void aStepReadsOnlyWhatItIsAbout(String step) throws Exception {
        try (Connection session = server.connect()) {
            String call = "SELECT count(*) FROM " + harness.table(step);
            // Afterwards nothing may make the session plan anew, as emptying a table would.
            server.execute("TRUNCATE " + harness.table("run") + ", " + harness.table("lease"));
            RowWait.value(session, call);
            fillAgain();
            session.setAutoCommit(false);
            RowWait.value(session, call);
            assertThat(Integer.parseInt(RowWait.value(
                            session,
                            "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables WHERE schemaname = '"
                                    + harness.schema() + "'")))
                    .as("rows read")
                    .isLessThan(FEW);
            session.rollback();
        }
    }

    @Test
    void thereIsEnoughToReadTooMuchOf() {
        fillAgain();
        assertThat(Integer.parseInt(server.ask("SELECT count(*) FROM " + harness.table("run"))))
                .isGreaterThan(2 * MANY);
    }

    private void fillAgain() {
        server.execute(
                "DELETE FROM " + harness.table("run"),
                "DELETE FROM " + harness.table("lease"),
                "INSERT INTO " + harness.table("run") + " SELECT * FROM " + harness.schema() + ".full_run",
                "INSERT INTO " + harness.table("lease") + " SELECT * FROM " + harness.schema() + ".full_lease");
    }
}
