package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseId;
import io.interlock.run.Claimed;
import io.interlock.run.LineLimits;
import io.interlock.run.Run;
import io.interlock.spi.Stores;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a run costs: messages there and back, and transactions that write. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunRoundTripTest {

    private static final Cost ONE = new Cost(1, 1);
    private static final Cost A_LOOK = new Cost(1, 0);

    private final PostgresHarness harness = new PostgresHarness();
    private Proxy proxy;
    private RunStore store;

    private record Cost(int roundTrips, long writingTransactions) {}

    @BeforeEach
    void open() {
        harness.reset();
        proxy = new Proxy(harness.server().port());
        store = (RunStore)
                Stores.open("postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema());
        // Both pools get their connection, and the driver prepares a statement after a few uses.
        for (int i = 0; i < 10; i++) {
            RunWords.queued(store, "warm");
            Claimed work = RunWords.claim(store);
            store.beat(List.of(RunWords.beating(work, "up")));
            store.finish(List.of(RunWords.finishing(work)));
        }
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
    }

    @AfterAll
    void end() {
        harness.close();
    }

    @Test
    void everyStepIsOneRoundTripAndOneWritingTransaction() throws Exception {
        Claimed[] work = new Claimed[1];
        assertThat(cost(() -> RunWords.queued(store, "k"))).as("submit").isEqualTo(ONE);
        assertThat(cost(() -> RunWords.queued(store, "k"))).as("queue").isEqualTo(ONE);
        assertThat(cost(() -> work[0] = RunWords.claim(store))).as("claim").isEqualTo(ONE);
        // The pool for beats asks a connection it has not used for a while whether it is alive.
        store.beat(List.of(RunWords.beating(work[0], "read")));
        assertThat(cost(() -> store.beat(List.of(RunWords.beating(work[0], "write")))))
                .as("beat")
                .isEqualTo(ONE);
        assertThat(cost(() -> store.finish(List.of(RunWords.finishing(work[0])))))
                .as("finish, and the next has the key")
                .isEqualTo(ONE);
        Run run = RunWords.queued(store, "k");
        assertThat(cost(() -> store.cancel(new CancelRequest(run.id(), "carol", "no need"))))
                .as("cancel")
                .isEqualTo(ONE);
        harness.advance(Duration.ofMinutes(1));
        assertThat(cost(() -> RunWords.claim(store))).as("claim").isEqualTo(ONE);
        harness.advance(Duration.ofMinutes(1));
        assertThat(cost(() -> store.sweepRuns(10))).as("sweep").isEqualTo(ONE);
    }

    @Test
    void aBatchOfAnySizeIsOneRoundTripAndOneWritingTransaction() throws Exception {
        List<SubmitRequest> requests = IntStream.range(0, 100)
                .mapToObj(i -> RunWords.submitting("k" + i, ConflictPolicy.QUEUE))
                .toList();
        assertThat(cost(() -> store.submit(requests).get(99))).isEqualTo(ONE);
        List<Claimed> works = store.claim(RunWords.claiming(100));
        assertThat(works).hasSize(100);
        assertThat(cost(() -> store.finish(
                                works.stream().map(RunWords::finishing).toList())
                        .get(99)))
                .isEqualTo(ONE);
    }

    @Test
    void whatChangesNothingIsAPlainRead() throws Exception {
        SubmitRequest known = RunWords.submitting("k", ConflictPolicy.QUEUE)
                .knownBy(new SubmitRequest.Idempotency("order-1", "x", Duration.ofHours(24)));
        RunWords.submitted(store, known);
        RunWords.claim(store);
        RunWords.queued(store, "k");
        for (ConflictPolicy policy : List.of(ConflictPolicy.REJECT, ConflictPolicy.SKIP, ConflictPolicy.JOIN)) {
            assertThat(cost(() -> RunWords.submit(store, RunWords.submitting("k", policy))))
                    .as(policy.name())
                    .isEqualTo(A_LOOK);
        }
        assertThat(cost(() -> RunWords.submit(store, known))).as("the same id").isEqualTo(A_LOOK);
        assertThat(cost(() -> RunWords.submit(
                        store,
                        RunWords.submitting("other", ConflictPolicy.QUEUE)
                                .knownBy(known.known().orElseThrow()))))
                .as("the same idempotency key")
                .isEqualTo(A_LOOK);
        assertThat(cost(() -> RunWords.submit(
                        store,
                        RunWords.submitting("k", ConflictPolicy.QUEUE).within(new LineLimits(1, Integer.MAX_VALUE)))))
                .as("a full line")
                .isEqualTo(A_LOOK);
        assertThat(cost(() -> RunWords.submit(
                        store,
                        RunWords.submitting("elsewhere", ConflictPolicy.REJECT).within(new LineLimits(10, 1)))))
                .as("a busy tenant")
                .isEqualTo(A_LOOK);
        assertThat(cost(() -> store.claim(RunWords.claiming(1)))).as("no work").isEqualTo(A_LOOK);
        assertThat(cost(() -> store.sweepRuns(10))).as("nothing is due").isEqualTo(A_LOOK);
        assertThat(cost(() -> Bench.ask(store, Bench.asking("k"))))
                .as("a bare lease")
                .isEqualTo(A_LOOK);
    }

    @Test
    void aTurnIsOneRoundTrip() throws Exception {
        RunWords.queued(store, "k");
        Claimed work = RunWords.claim(store);
        SubmitRequest.Caller caller = new SubmitRequest.Caller(new LeaseId(RunWords.uuid()), RunWords.WORKER);
        SubmitRequest request = RunWords.submitting("k", ConflictPolicy.QUEUE).by(caller);
        RunWords.submitted(store, request);
        TurnRequest turn = new TurnRequest(request.id(), request.key(), caller);
        assertThat(cost(() -> store.takeTurn(List.of(turn)))).isEqualTo(ONE);
        store.finish(List.of(RunWords.finishing(work)));
        // The wake-up that the end sends is a transaction of its own, at its own time.
        assertThat(cost(() -> store.takeTurn(List.of(turn))).roundTrips()).isEqualTo(1);
    }

    private Cost cost(Callable<?> step) throws Exception {
        long writes = harness.writes().orElseThrow();
        int trips = proxy.roundTrips();
        step.call();
        return new Cost(proxy.roundTrips() - trips, harness.writes().orElseThrow() - writes);
    }
}
