package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.Stores;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Many more callers than connections, all of whom wait for a row that stays locked. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SmallPoolTest {

    private static final int CALLERS = 50;

    private final PostgresHarness harness = new PostgresHarness();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void close() {
        harness.close();
    }

    @Test
    void renewalsGoOnAndEveryCallerIsAnsweredWithinAboutTheTimeout() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try (LeaseStore store = Stores.open(harness.url("timeout=2s"));
                Connection holder = harness.server().connect()) {
            LeaseRecord own = Bench.take(store, "own");
            Bench.take(store, "stuck");
            holder.setAutoCommit(false);
            RowWait.execute(holder, "SELECT FROM " + harness.table("lease") + " WHERE name = 'stuck' FOR UPDATE");
            CountDownLatch begun = new CountDownLatch(CALLERS);
            List<Future<Duration>> waits = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                waits.add(threads.submit(() -> {
                    begun.countDown();
                    return untilUnavailable(store);
                }));
            }
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
            int renewals = 0;
            while (!waits.stream().allMatch(Future::isDone)) {
                long start = System.nanoTime();
                assertThat(Bench.renew(store, own)).isInstanceOf(RenewAnswer.Renewed.class);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
                renewals++;
            }
            assertThat(renewals).isGreaterThan(10);
            for (Future<Duration> wait : waits) {
                assertThat(wait.get()).isLessThan(Duration.ofMillis(2800));
            }
            holder.rollback();
            Bench.take(store, "free");
        } finally {
            threads.shutdownNow();
        }
    }

    /** Alone, a renewal waits for its row; the others must not wait for it. */
    @Test
    void aRenewalThatWaitsForItsRowKeepsNoOtherWaiting() throws Exception {
        try (LeaseStore store = Stores.open(harness.url(""))) {
            LeaseRecord own = Bench.take(store, "own");
            LeaseRecord stuck = Bench.take(store, "stuck");
            RowWait<RenewAnswer> wait = RowWait.during(
                    harness.server(),
                    "SELECT FROM " + harness.table("lease") + " WHERE name = 'stuck' FOR UPDATE",
                    () -> Bench.renew(store, stuck),
                    holder -> {
                        String waiting = waiting();
                        assertThat(Bench.renew(store, own)).isInstanceOf(RenewAnswer.Renewed.class);
                        assertThat(waiting()).as("still the same wait").isEqualTo(waiting);
                    });
            assertThat(wait.answer()).isInstanceOf(RenewAnswer.Renewed.class);
        }
    }

    private String waiting() {
        return harness.server()
                .ask("SELECT pid || ' since ' || query_start FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    }

    // A waiter needs the row to leave its mark.
    private static Duration untilUnavailable(LeaseStore store) {
        long start = System.nanoTime();
        try {
            throw new AssertionError(
                    "answered: " + Bench.ask(store, Bench.asking("stuck").waiting()));
        } catch (StoreUnavailableException asExpected) {
            return Duration.ofNanos(System.nanoTime() - start);
        }
    }
}
