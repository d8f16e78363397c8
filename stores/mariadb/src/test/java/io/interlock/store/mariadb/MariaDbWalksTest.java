package io.interlock.store.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.run.RunQuery;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Instant;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many rows MariaDB passes over on its way to those that are asked for. */
@Timeout(60)
class MariaDbWalksTest {

    private static final int RUNS = 20_000;

    // One is submitted in each second.
    private static final String FILL = """
            INSERT INTO %s (run_id, number, tenant, name, job, place, submitted_at, since, state, status, spec)
            SELECT UUID(), seq, 'acme', 'k', 'load', seq * 1000000, seq * 1000000, seq * 1000000, 'SUCCEEDED', '',
                   'job=load\\nttl=30\\nsubmitter=alice\\n' FROM seq_1_to_%d""";

    @Test
    void toTheRunsSinceAMoment() {
        MariaDbHarness harness = MariaDbHarness.create();
        try (RunStore store = harness.open(Environment.system())) {
            harness.server().execute(FILL.formatted(harness.table("run"), RUNS));
            RunQuery last = RunQuery.ofTenant("acme").since(Instant.ofEpochSecond(RUNS - 5));
            // Other tests may use the server meanwhile.
            long least = LongStream.generate(() -> {
                        long before = passed(harness);
                        assertThat(store.queries().listRuns(last).runs()).hasSize(6);
                        return passed(harness) - before;
                    })
                    .limit(5)
                    .min()
                    .orElseThrow();
            assertThat(least).isLessThan(RUNS / 10);
        } finally {
            harness.close();
        }
    }

    private static long passed(MariaDbHarness harness) {
        return Long.parseLong(harness.server().ask("""
                SELECT SUM(VARIABLE_VALUE) FROM information_schema.GLOBAL_STATUS
                 WHERE VARIABLE_NAME LIKE 'HANDLER_READ%' OR VARIABLE_NAME = 'HANDLER_ICP_ATTEMPTS'"""));
    }
}
