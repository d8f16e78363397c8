package io.interlock.store.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs that MariaDB finds by time though their numbers are not in the order of their times. */
@Timeout(60)
class MariaDbTimesTest {

    private static final String ADD = """
            INSERT INTO %s (run_id, number, tenant, name, job, place, submitted_at, since, state, status, spec)
            SELECT UUID(), %d, 'acme', 'k', 'load', %2$d, %3$d, %3$d, 'SUCCEEDED', '', 'job=load\\nttl=30\\nsubmitter=alice\\n'
            """;

    @Test
    void alsoOneThatDrewItsNumberAfterTheLastOne() {
        MariaDbHarness harness = MariaDbHarness.create();
        try (RunStore store = harness.open(Environment.system())) {
            String table = harness.table("run");
            // Two steps at once, which read the clock in one order and drew their numbers in the other.
            harness.server().execute(ADD.formatted(table, 1, 1_000_000_001));
            harness.server().execute(ADD.formatted(table, 2, 1_000_000_000));
            RunQuery all = RunQuery.ofTenant("acme").until(Instant.ofEpochSecond(1001));
            assertThat(store.queries().listRuns(all).runs())
                    .extracting(Run::number)
                    .containsExactly(1L, 2L);
            assertThat(store.queries()
                            .listRuns(all.since(Instant.ofEpochSecond(1000)))
                            .runs())
                    .hasSize(2);
        } finally {
            harness.close();
        }
    }
}
