package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.Stores;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a lock costs: messages there and back, and transactions that write. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RoundTripTest {

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
    void everyStepIsOneRoundTripAndOneWritingTransaction() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                LeaseStore store = Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            warmUp(store);
            LeaseRecord[] lease = new LeaseRecord[1];
            assertThat(cost(proxy, () -> lease[0] = Bench.take(store, "k"))).isEqualTo(new Cost(1, 1));
            assertThat(cost(proxy, () -> Bench.renew(store, lease[0]))).isEqualTo(new Cost(1, 1));
            assertThat(cost(proxy, () -> Bench.ask(store, Bench.asking("k"))))
                    .as("a refusal")
                    .isEqualTo(new Cost(1, 0));
            assertThat(cost(proxy, () -> Bench.release(store, lease[0]))).isEqualTo(new Cost(1, 1));
            assertThat(cost(proxy, () -> Bench.take(store, "never seen before")))
                    .as("the first grant of a key")
                    .isEqualTo(new Cost(1, 1));
        }
    }

    @Test
    void aBatchOfAnySizeIsOneRoundTripAndOneWritingTransaction() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                LeaseStore store = Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                names.add("k" + i);
            }
            warmUp(store);
            assertThat(cost(
                            proxy,
                            () -> store.tryAcquire(names.stream()
                                            .map(name -> Bench.asking(name))
                                            .toList())
                                    .get(99)))
                    .isEqualTo(new Cost(1, 1));
        }
    }

    @Test
    void aRefusalLocksNoRow() throws Exception {
        try (LeaseStore store = Stores.open(harness.url(""));
                Connection session = harness.server().connect()) {
            LeaseRecord lease = Bench.take(store, "k");
            session.setAutoCommit(false);
            assertThat(RowWait.value(
                            session,
                            "SELECT verdict FROM " + harness.table("acquire") + "(1000, ARRAY['acme'],"
                                    + " ARRAY['k'], ARRAY[gen_random_uuid()], ARRAY['i'], ARRAY['l'], ARRAY[NULL::uuid],"
                                    + " ARRAY[30000000::bigint], ARRAY[0::bigint], ARRAY[false], ARRAY[false], ARRAY[1, 2],"
                                    + " ARRAY[1], ARRAY[NULL::bigint])"))
                    .isEqualTo("held");
            assertThat(RowWait.value(session, "SELECT pg_current_xact_id_if_assigned() IS NULL"))
                    .as("no transaction id")
                    .isEqualTo("t");
            assertThat(RowWait.value(
                            session,
                            "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()"
                                    + " AND (locktype IN ('tuple', 'transactionid', 'advisory')"
                                    + " OR mode NOT IN ('AccessShareLock', 'ExclusiveLock'))"))
                    .as("locks beyond those of reading")
                    .isEqualTo("0");
            assertThat(Bench.renew(store, lease)).as("beside it").isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(Bench.ask(store, Bench.asking("k"))).isInstanceOf(AcquireAnswer.Refused.class);
        }
    }

    // Both pools get their connection, and the driver prepares a statement after a few uses.
    private static void warmUp(LeaseStore store) {
        for (int i = 0; i < 10; i++) {
            LeaseRecord lease = Bench.take(store, "k");
            Bench.renew(store, lease);
            Bench.release(store, lease);
        }
    }

    private record Cost(int roundTrips, long writingTransactions) {}

    private Cost cost(Proxy proxy, Callable<?> step) throws Exception {
        long writes = harness.writes().orElseThrow();
        int trips = proxy.roundTrips();
        step.call();
        return new Cost(proxy.roundTrips() - trips, harness.writes().orElseThrow() - writes);
    }
}
