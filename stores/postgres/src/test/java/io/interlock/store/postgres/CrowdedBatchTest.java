package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many submissions under one key in one batch, while another session has the row of that key again and again. */
@Timeout(60)
class CrowdedBatchTest {

    private static final int BATCHES = 300;
    private static final int SUBMISSIONS = 100;

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final RunStore store = harness.open(Environment.system());

    @AfterEach
    void close() {
        store.close();
        harness.close();
    }

    /** A batch leaves out a row that another session has, and must not have it for the second half of its submissions. */
    @Test
    void aKeyKnowsOfEachRunThatWaitsForIt() throws Exception {
        RunWords.queued(store, "k");
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> lockAgainAndAgain(over));
        try {
            IntStream.range(0, BATCHES)
                    .forEach(batch -> store.runs()
                            .submit(IntStream.range(0, SUBMISSIONS)
                                    .mapToObj(i -> RunWords.submitting("k", ConflictPolicy.QUEUE))
                                    .toList()));
        } finally {
            over.set(true);
        }
        assertThat(other.get(20, TimeUnit.SECONDS)).isPositive();
        assertThat(server.ask("SELECT l.queued FROM " + harness.table("lease") + " AS l"))
                .isEqualTo(server.ask("SELECT count(*) FROM " + harness.table("open_run") + " WHERE busy = 0"));
    }

    private int lockAgainAndAgain(AtomicBoolean over) {
        int times = 0;
        try (Connection connection = server.connect()) {
            while (!over.get()) {
                RowWait.execute(
                        connection,
                        "DO $$ BEGIN FOR i IN 1..50 LOOP PERFORM 1 FROM " + harness.table("lease")
                                + " FOR UPDATE; PERFORM count(*) FROM generate_series(1, 2000); COMMIT; END LOOP; END $$");
                times++;
            }
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
        return times;
    }
}
