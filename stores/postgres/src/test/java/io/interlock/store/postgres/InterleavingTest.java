package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens between two statements of one step. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class InterleavingTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();

    @AfterEach
    void close() {
        harness.close();
    }

    /** A bundle finds a row gone that it has seen, and another session making it anew that then wants one the bundle has. */
    @Test
    void aStepThatWaitsForANewRowHasNoOtherLocked() throws Exception {
        try (RunStore store = harness.open(Environment.system());
                Connection maker = server.connect()) {
            Bench.release(store, Bench.take(store, "a"));
            Bench.release(store, Bench.take(store, "b"));
            String deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'";
            String before = server.ask(deadlocks);
            CompletableFuture<AcquireAnswer> bundle = new CompletableFuture<>();
            RowWait.during(
                    server,
                    harness.latch(false),
                    () -> bundle.complete(Bench.ask(store, Bench.asking("a", "b"))),
                    holder -> {
                        server.execute("DELETE FROM " + harness.table("lease") + " WHERE name = 'b'");
                        maker.setAutoCommit(false);
                        RowWait.execute(
                                maker,
                                "INSERT INTO " + harness.table("lease")
                                        + " (tenant, name, plain, used_at) VALUES ('acme', 'b', 0, 0)");
                        holder.commit();
                        RowWait.awaitBlockedBy(
                                server, Integer.parseInt(RowWait.value(maker, "SELECT pg_backend_pid()")));
                        RowWait.execute(
                                maker, "SELECT FROM " + harness.table("lease") + " WHERE name = 'a' FOR UPDATE");
                        maker.commit();
                    });
            assertThat(bundle.get(10, TimeUnit.SECONDS)).isInstanceOf(AcquireAnswer.Granted.class);
            server.ask("SELECT pg_stat_force_next_flush()");
            assertThat(server.ask(deadlocks)).isEqualTo(before);
        }
    }
}
