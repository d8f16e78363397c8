package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AdvisoryLatchTest {

    private final PostgresServer server = PostgresServer.shared();
    private final AdvisoryLatch latch = AdvisoryLatch.of(Bench.key("source-event/4711"));

    @Test
    void oneTransactionHoldsItUntilItEnds() throws Exception {
        try (Connection one = transaction();
                Connection two = transaction()) {
            latch.hold(one);
            assertThat(latch.tryHold(one)).as("again in the same transaction").isTrue();
            assertThat(latch.tryHold(two)).isFalse();
            one.rollback();
            assertThat(latch.tryHold(two)).isTrue();
            two.rollback();
        }
    }

    @Test
    void whoWaitsForItGetsItWhenItsHolderCommits() throws Exception {
        RowWait<Boolean> wait = RowWait.during(server, "SELECT pg_advisory_xact_lock(" + latch.number() + ")", () -> {
            try (Connection connection = transaction()) {
                latch.hold(connection);
                connection.commit();
                return true;
            }
        });
        assertThat(wait.answer()).isTrue();
    }

    @Test
    void itIsFreedWhenTheConnectionDies() throws Exception {
        try (Connection one = transaction();
                Connection two = transaction()) {
            latch.hold(one);
            String pid = RowWait.value(one, "SELECT pg_backend_pid()");
            assertThat(latch.tryHold(two)).isFalse();
            server.execute("SELECT pg_terminate_backend(" + pid + ")");
            await().until(() -> latch.tryHold(two));
            two.rollback();
        }
    }

    @Test
    void keysThatAreEqualInThirtyTwoBitsDoNotMeet() throws Exception {
        Map<Integer, LockKey> seen = new HashMap<>();
        LockKey one = Bench.key("0");
        LockKey other = null;
        for (int i = 0; other == null; i++) {
            one = Bench.key("key/" + i);
            other = seen.put((int) AdvisoryLatch.of(one).number(), one);
        }
        try (Connection first = transaction();
                Connection second = transaction()) {
            AdvisoryLatch.of(one).hold(first);
            assertThat(AdvisoryLatch.of(other).tryHold(second)).isTrue();
            first.rollback();
            second.rollback();
            String narrow = "SELECT pg_try_advisory_xact_lock(0, ";
            RowWait.value(first, narrow + (int) AdvisoryLatch.of(one).number() + ")");
            assertThat(RowWait.value(
                            second, narrow + (int) AdvisoryLatch.of(other).number() + ")"))
                    .as("the trap of 32 bits")
                    .isEqualTo("f");
            first.rollback();
            second.rollback();
        }
    }

    @Test
    void inAutoCommitModeItSaysThatItWouldBeUseless() throws Exception {
        try (Connection connection = server.connect()) {
            assertThatThrownBy(() -> latch.hold(connection))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    /** Many callers bring in the same source event at once: one event row comes of it, and one ingestion of the event. */
    @Test
    void theSourceEventLatchCreatesTheRowAndTheEventLeaseGuardsTheWork() throws Exception {
        PostgresHarness harness = new PostgresHarness();
        String events = harness.schema() + ".event";
        // No unique index: nothing but the latch keeps the rows apart.
        server.execute("CREATE TABLE " + events + " (id serial, source text)");
        AtomicInteger ingestions = new AtomicInteger();
        CyclicBarrier together = new CyclicBarrier(6);
        try (LeaseStore store = harness.open(Environment.system())) {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            try {
                                together.await(10, TimeUnit.SECONDS);
                                String event = eventOf(events);
                                AcquireAnswer answer = Bench.ask(store, Bench.asking("event/" + event));
                                if (answer instanceof AcquireAnswer.Granted) {
                                    ingestions.incrementAndGet();
                                }
                            } catch (Exception failure) {
                                throw new IllegalStateException(failure);
                            }
                        },
                        task -> new Thread(task).start()));
            }
            for (CompletableFuture<Void> caller : callers) {
                caller.get(20, TimeUnit.SECONDS);
            }
        }
        assertThat(server.ask("SELECT count(*) FROM " + events)).isEqualTo("1");
        assertThat(ingestions.get()).isEqualTo(1);
        harness.close();
    }

    private String eventOf(String events) throws Exception {
        try (Connection connection = transaction()) {
            latch.hold(connection);
            String id = RowWait.value(connection, "SELECT id FROM " + events + " WHERE source = '4711'");
            if (id.equals("no row")) {
                id = RowWait.value(connection, "INSERT INTO " + events + " (source) VALUES ('4711') RETURNING id");
            }
            connection.commit();
            return id;
        }
    }

    private Connection transaction() throws Exception {
        Connection connection = server.connect();
        connection.setAutoCommit(false);
        return connection;
    }
}
