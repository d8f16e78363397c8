package io.interlock.store.postgres;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.RunRefusal;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.process.Proxy;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Every grant is before a pause or after it, never across. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PauseOrderTest {

    private static final PauseRequest PAUSE = new PauseRequest("acme", "k*", "carol", "upgrade", null);
    private static final ResumeRequest RESUME = new ResumeRequest("acme", "k*", "carol", "done");

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final RunStore store = harness.open(Environment.system());

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void close() {
        store.close();
        harness.close();
    }

    @Test
    void aPauseWaitsForTheGrantUnderWay() throws Exception {
        RunWords.queued(store, "k");
        store.work().finish(List.of(RunWords.finishing(RunWords.claim(store))));
        AtomicReference<CompletableFuture<Pause>> pausing = new AtomicReference<>();
        RowWait<SubmitAnswer> granted = RowWait.during(
                server,
                lockRow("lease"),
                () -> RunWords.submit(store, RunWords.submitting("k", ConflictPolicy.REJECT)),
                holder -> pausing.set(waitsForSteps(() -> store.runs().pause(PAUSE))));
        assertThat(granted.answer()).isInstanceOf(SubmitAnswer.Started.class);
        assertThat(requireNonNull(pausing.get()).get(20, TimeUnit.SECONDS).since())
                .isAfterOrEqualTo(granted.letGo());
        refused();
    }

    @Test
    void aGrantWaitsForThePauseUnderWay() throws Exception {
        store.runs().pause(PAUSE);
        store.runs().resume(RESUME);
        server.execute("INSERT INTO " + harness.table("pause")
                + " VALUES ('acme', 'k*', 'carol', 'of another day', 0, 1, 1, '')");
        AtomicReference<CompletableFuture<SubmitAnswer>> submitting = new AtomicReference<>();
        RowWait.during(
                server,
                lockRow("pause"),
                () -> store.runs().pause(PAUSE),
                holder -> submitting.set(
                        waitsForSteps(() -> RunWords.submit(store, RunWords.submitting("k2", ConflictPolicy.REJECT)))));
        assertThat(requireNonNull(submitting.get()).get(20, TimeUnit.SECONDS)).isInstanceOf(SubmitAnswer.Refused.class);
        refused();
    }

    /** A run that is queued because of the pause is there when the pause is ended, and is let go on. */
    @Test
    void aResumeWaitsForARunThatIsJustQueuedBehindThePause() throws Exception {
        RunWords.queued(store, "k");
        store.work().finish(List.of(RunWords.finishing(RunWords.claim(store))));
        store.runs().pause(PAUSE);
        // With an idempotency key the rules decide at once; otherwise a statement looks first, in a transaction of its
        // own.
        SubmitRequest request = RunWords.submitting("k", ConflictPolicy.QUEUE)
                .knownBy(new SubmitRequest.Idempotency("once", "fingerprint", Duration.ofHours(1)));
        AtomicReference<CompletableFuture<Boolean>> resuming = new AtomicReference<>();
        RowWait<SubmitAnswer> queued = RowWait.during(
                server,
                lockRow("lease"),
                () -> RunWords.submit(store, request),
                holder -> resuming.set(waitsForSteps(() -> store.runs().resume(RESUME))));
        assertThat(queued.answer()).isInstanceOf(SubmitAnswer.Queued.class);
        assertThat(requireNonNull(resuming.get()).get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(RunWords.claim(store).run().id()).isEqualTo(request.id());
    }

    @Test
    void aSubmissionWhileAPauseIsEndedWaitsAndIsNotQueuedBehindIt() throws Exception {
        store.runs().pause(PAUSE);
        AtomicReference<CompletableFuture<SubmitAnswer>> submitting = new AtomicReference<>();
        RowWait<Boolean> resumed = RowWait.during(
                server,
                lockRow("pause"),
                () -> store.runs().resume(RESUME),
                holder -> submitting.set(
                        waitsForSteps(() -> RunWords.submit(store, RunWords.submitting("k", ConflictPolicy.QUEUE)))));
        assertThat(resumed.answer()).isTrue();
        assertThat(requireNonNull(submitting.get()).get(20, TimeUnit.SECONDS)).isInstanceOf(SubmitAnswer.Started.class);
    }

    /** A step that has a key when its pause is ended may end without a trace: its process is killed, its server goes away. */
    @Test
    void aKeyThatAnotherStepHasWhenItsPauseIsEndedGoesOnLater() throws Exception {
        RunWords.queued(store, "k-ready-for-workers");
        store.runs().pause(PAUSE);
        RunWords.queued(store, "k-in-line");
        try (Connection killed = server.connect()) {
            killed.setAutoCommit(false);
            RowWait.execute(killed, lockRow("lease"));
            assertThat(store.runs().resume(RESUME)).isTrue();
            killed.rollback();
        }
        assertThat(store.work().claim(RunWords.claiming(2))).hasSize(2);
        assertThat(server.ask("SELECT count(*) FROM " + harness.table("pause"))).isEqualTo("0");
    }

    /** Its caller had no answer, but all see the pause: so it holds, once a sweep was there. */
    @Test
    void aSweepFinishesAPauseWhoseProcessCouldNot() throws Exception {
        Bench.release(store, Bench.take(store, "k-free"));
        Run ready = RunWords.queued(store, "k-ready-for-workers");
        try (Connection busy = server.connect();
                RunStore hasty = (RunStore) Stores.open(harness.url("timeout=1s"), Environment.system())) {
            busy.setAutoCommit(false);
            RowWait.execute(busy, lockRow("lease"));
            assertThatThrownBy(() -> hasty.runs().pause(PAUSE)).isInstanceOf(StoreUnavailableException.class);
            busy.rollback();
        }
        store.upkeep().sweepRuns(100);
        assertThat(Bench.ask(store, Bench.asking("k-free"))).isInstanceOf(AcquireAnswer.Refused.class);
        store.runs().resume(RESUME);
        assertThat(RunWords.claim(store).run().id()).isEqualTo(ready.id());
        Bench.take(store, "k-free");
    }

    @Test
    void aPauseWaitsOnlyForTheKeyThatAnotherStepHas() throws Exception {
        store.runs()
                .submit(IntStream.range(0, 100)
                        .mapToObj(i -> RunWords.submitting("k/new/" + i, ConflictPolicy.QUEUE))
                        .toList());
        try (Proxy proxy = new Proxy(server.port());
                RunStore far = (RunStore) Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            RowWait<Integer> paused = RowWait.during(
                    server, "SELECT FROM " + harness.table("lease") + " WHERE name = 'k/new/7' FOR UPDATE", () -> {
                        int before = proxy.roundTrips();
                        far.runs().pause(PAUSE);
                        return proxy.roundTrips() - before;
                    });
            assertThat(paused.answer()).isLessThan(40);
        }
        assertThat(store.work().claim(RunWords.claiming(100))).isEmpty();
    }

    /** What was settled at the end of a pause is not taken for settled at the end of the next one. */
    @Test
    void aPauseThatTakesThePlaceOfAnEndedOneIsSettledFromItsBeginning() throws Exception {
        IntStream.range(0, 120).forEach(i -> RunWords.queued(store, "k" + i));
        store.runs().pause(new PauseRequest("acme", "k*", "carol", "upgrade", Duration.ofHours(1)));
        harness.advance(Duration.ofHours(2));
        RowWait.during(
                server,
                lockRow("pause"),
                () -> store.upkeep().sweepRuns(100),
                holder -> RowWait.execute(
                        holder,
                        "UPDATE " + harness.table("pause")
                                + " SET since = since + 7200000000, until = until + 7200000000"));
        assertThat(server.ask("SELECT settled_to FROM " + harness.table("pause")))
                .isEmpty();
    }

    @Test
    void bareLeasesOfPlainKeysDoNotWait() throws Exception {
        LeaseRecord lease = Bench.take(store, "k");
        Bench.release(store, Bench.take(store, "free"));
        try (Connection pausing = server.connect()) {
            pausing.setAutoCommit(false);
            RowWait.execute(pausing, harness.latch(false));
            assertThat(Bench.renew(store, lease)).isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
            Bench.take(store, "free");
        }
    }

    /** Once a pause is there, a key that was granted without a look at anything else is not granted any more. */
    @Test
    void aBareLeaseIsGrantedBeforeThePauseOrNotAtAll() {
        Bench.release(store, Bench.take(store, "k"));
        store.runs().pause(PAUSE);
        assertThat(Bench.ask(store, Bench.asking("k"))).isInstanceOf(AcquireAnswer.Refused.class);
        store.runs().resume(RESUME);
        Bench.take(store, "k");
    }

    private String lockRow(String table) {
        return "SELECT FROM " + harness.table(table) + " FOR UPDATE";
    }

    /** Begins {@code call}, and returns once it waits for the steps under way. */
    private <T> CompletableFuture<T> waitsForSteps(Supplier<T> call) {
        CompletableFuture<T> answer = CompletableFuture.supplyAsync(call);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND wait_event = 'advisory'")
                        .equals("1"));
        return answer;
    }

    /** It keeps all steps waiting, of whichever tenant: so it lets a few runs go on itself, and the others are due. */
    @Test
    void theEndOfAPauseOverManyKeysIsShort() {
        store.runs().pause(PAUSE);
        store.runs()
                .submit(IntStream.range(0, 250)
                        .mapToObj(i -> RunWords.submitting("k" + i, ConflictPolicy.QUEUE))
                        .toList());
        store.runs().resume(RESUME);
        assertThat(server.ask("SELECT count(*) FROM " + harness.table("open_run") + " WHERE state = 'PENDING'"))
                .isEqualTo("100");
        assertThat(IntStream.range(0, 5).mapToObj(i -> store.work().claim(RunWords.claiming(100))))
                .flatMap(claimed -> claimed)
                .hasSize(250);
    }

    private void refused() {
        SubmitAnswer answer = RunWords.submit(store, RunWords.submitting("k3", ConflictPolicy.REJECT));
        assertThat(((SubmitAnswer.Refused) answer).refusal()).isInstanceOf(RunRefusal.Paused.class);
    }
}
