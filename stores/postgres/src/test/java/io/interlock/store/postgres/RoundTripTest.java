package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.tck.process.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a lock costs: messages there and back, and transactions that write. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RoundTripTest {

    private static final int TRIES = 8;

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
    void everyStepOfABareLeaseIsOneRoundTrip() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                LeaseStore store = Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            warmUp(store);
            LeaseRecord[] lease = new LeaseRecord[1];
            List<Cost> acquires = new ArrayList<>();
            List<Cost> renewals = new ArrayList<>();
            List<Cost> refusals = new ArrayList<>();
            List<Cost> releases = new ArrayList<>();
            for (int i = 0; i < TRIES; i++) {
                acquires.add(cost(proxy, () -> lease[0] = Bench.take(store, "k")));
                renewals.add(cost(proxy, () -> Bench.renew(store, lease[0])));
                refusals.add(cost(proxy, () -> Bench.ask(store, Bench.asking("k"))));
                releases.add(cost(proxy, () -> Bench.release(store, lease[0])));
            }
            assertThat(least(acquires)).as("acquire").isEqualTo(new Cost(1, 1));
            assertThat(least(renewals)).as("renewal").isEqualTo(new Cost(1, 1));
            assertThat(least(refusals)).as("refusal").isEqualTo(new Cost(1, 0));
            assertThat(least(releases)).as("release").isEqualTo(new Cost(1, 1));
        }
    }

    @Test
    void aBatchIsOneRoundTripAndOneWritingTransaction() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                LeaseStore store = Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                names.add("k" + i);
                Bench.release(store, Bench.take(store, "k" + i));
            }
            warmUp(store);
            List<Cost> batches = new ArrayList<>();
            for (int i = 0; i < TRIES; i++) {
                List<Answers<AcquireAnswer>> answers = new ArrayList<>();
                batches.add(cost(
                        proxy,
                        () -> answers.add(store.tryAcquire(
                                names.stream().map(name -> Bench.asking(name)).toList()))));
                for (int k = 0; k < names.size(); k++) {
                    AcquireAnswer.Granted granted =
                            (AcquireAnswer.Granted) answers.get(0).get(k);
                    Bench.release(store, granted.grants().get(0).lease());
                }
            }
            assertThat(least(batches)).isEqualTo(new Cost(1, 1));
        }
    }

    /** The driver prepares a statement at its fifth use; then, too, statements go together. */
    @Test
    void aStepIsTwoRoundTripsHoweverOftenItIsMade() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                RunStore store = (RunStore) Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            for (int i = 0; i < 10; i++) {
                submitOnce(store);
            }
            List<Cost> steps = new ArrayList<>();
            for (int i = 0; i < TRIES; i++) {
                steps.add(cost(proxy, () -> submitOnce(store)));
            }
            assertThat(least(steps)).isEqualTo(new Cost(2, 1));
        }
    }

    @Test
    void aSubmissionIsOneRoundTrip() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                RunStore store = (RunStore) Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            List<Cost> starts = new ArrayList<>();
            List<Cost> waits = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                LockKey key = LockKey.of("acme", "run/" + i);
                starts.add(cost(proxy, () -> submit(store, key)));
                waits.add(cost(proxy, () -> submit(store, key)));
            }
            // The first one of a minute, and the first ones of a connection, take more.
            assertThat(starts.subList(5, 10))
                    .as("a wake-up of workers is a transaction of its own")
                    .extracting(Cost::roundTrips)
                    .contains(1);
            assertThat(waits.subList(5, 10)).contains(new Cost(1, 1));
        }
    }

    @Test
    void aClaimDoesNotAskEachTenantThatIsOutOfPlaces() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                RunStore store = (RunStore) Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            for (String name : List.of("runs", "waits")) {
                store.runs()
                        .submit(IntStream.range(0, 30)
                                .mapToObj(i ->
                                        request(LockKey.of("tenant" + i, name)).within(new LineLimits(10, 1)))
                                .toList());
            }
            assertThat(store.work().claim(ofAnyTenant(40))).hasSize(30);
            List<Cost> claims = new ArrayList<>();
            for (int i = 0; i < TRIES; i++) {
                claims.add(cost(proxy, () -> store.work().claim(ofAnyTenant(1))));
            }
            assertThat(least(claims).roundTrips()).isLessThanOrEqualTo(6);
        }
    }

    @Test
    void aClaimDoesNotLookAgainAtAKeyThatIsDueAndCannotBeRead() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                RunStore store = (RunStore) Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            submit(store, LockKey.of("acme", "k"));
            RunWords.claim(store);
            harness.server().execute("UPDATE " + harness.table("open_run") + " SET status = 'mood=good', due_at = 1");
            store.upkeep().sweepRuns(10);
            List<Cost> claims = new ArrayList<>();
            for (int i = 0; i < TRIES; i++) {
                claims.add(cost(proxy, () -> store.work().claim(RunWords.claiming(1))));
            }
            assertThat(least(claims)).isEqualTo(new Cost(1, 0));
        }
    }

    private static ClaimRequest ofAnyTenant(int most) {
        return new ClaimRequest(RunWords.uuid(), RunWords.WORKER, null, Set.of(RunWords.JOB), most);
    }

    /** A process that stopped in the middle would let the store's time make up for it, and leases end early. */
    @Test
    void timeGoesOnInOneRoundTripWhereTheClockWasSetBack() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                LeaseStore store = Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            store.sweep(0);
            List<Cost> usual = new ArrayList<>();
            List<Cost> setBack = new ArrayList<>();
            for (int i = 0; i < TRIES; i++) {
                usual.add(cost(proxy, () -> store.sweep(0)));
                harness.setClockBack(Duration.ofHours(1));
                setBack.add(cost(proxy, () -> store.sweep(0)));
            }
            assertThat(least(usual)).isEqualTo(new Cost(1, 0));
            assertThat(least(setBack)).isEqualTo(new Cost(2, 1));
        }
    }

    private static SubmitAnswer submit(RunStore store, LockKey key) {
        return store.runs().submit(List.of(request(key))).only();
    }

    /** One with an idempotency key, about which the rules decide. */
    private static SubmitAnswer submitOnce(RunStore store) {
        String name = UUID.randomUUID().toString();
        return store.runs()
                .submit(List.of(request(LockKey.of("acme", "k"))
                        .knownBy(new SubmitRequest.Idempotency(name, "fingerprint", Duration.ofHours(1)))))
                .only();
    }

    private static SubmitRequest request(LockKey key) {
        RunSpec spec = RunSpec.of(new JobName("load"), "alice").policy(ConflictPolicy.QUEUE);
        return SubmitRequest.of(new RunId(UUID.randomUUID()), key, spec);
    }

    @Test
    void updatesOfBareLeasesStayOnTheirPage() throws Exception {
        // The server has counted what others did to a table, too.
        try (PostgresHarness own = new PostgresHarness()) {
            try (LeaseStore store = Stores.open(own.url(""))) {
                for (int i = 0; i < 300; i++) {
                    Bench.release(store, Bench.take(store, "hot" + i % 3));
                }
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(own.server()
                                    .ask("SELECT (n_tup_upd >= 590 AND n_tup_upd = n_tup_hot_upd)::text"
                                            + " FROM pg_stat_user_tables WHERE schemaname = '" + own.schema()
                                            + "' AND relname = 'interlock_lease'"))
                            .isEqualTo("true"));
        }
    }

    @Test
    void theSchemaHasNoFunctions() {
        assertThat(harness.server()
                        .ask("SELECT count(*)::text FROM pg_proc WHERE pronamespace = '" + harness.schema()
                                + "'::regnamespace"))
                .isEqualTo("0");
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

    // Wake-ups and the store's own clock checks also pass the proxy. They only add, so the least cost is that of the
    // step.
    private static Cost least(List<Cost> costs) {
        return costs.stream()
                .min(Comparator.comparing(Cost::roundTrips).thenComparing(Cost::writingTransactions))
                .orElseThrow();
    }

    private Cost cost(Proxy proxy, Callable<?> step) throws Exception {
        long writes = harness.writes().orElseThrow();
        int trips = proxy.roundTrips();
        step.call();
        return new Cost(proxy.roundTrips() - trips, harness.writes().orElseThrow() - writes);
    }
}
