package io.interlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.WorkerEngine;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.run.Ending;
import io.interlock.run.RunSpec.Execution;
import io.interlock.service.Facts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Locks, runs and workers through real servers, on memory and on SQLite. */
@Timeout(120)
class ClientTest {

    @TempDir
    static Path folder = Path.of(".");

    private static TestServer memory = unset();
    private static TestServer sqlite = unset();

    @BeforeAll
    static void start() throws IOException {
        Path jobs = Files.writeString(
                folder.resolve("interlock.yaml"),
                "interlock:\n  jobs:\n    load: { run: { worker: remote }, lease: 5s }\n");
        memory = TestServer.start(folder, "memory:", "--config", jobs.toString());
        sqlite = TestServer.start(folder, "sqlite:" + folder.resolve("client.db"), "--config", jobs.toString());
    }

    @AfterAll
    static void stop() {
        memory.close();
        sqlite.close();
    }

    @Test
    void workUnderWayUsesAClientThatWaitsForItsEnd() throws Exception {
        RunId unknown = RunId.parse("01a1e0eb-5f19-78bb-b9b3-e93f67580689");
        InterlockClient client = InterlockClient.builder(memory.url())
                .apiKey(memory.apiKey())
                .drainTime(Duration.ofSeconds(20))
                .build();
        Lease lease = client.locks()
                .acquire(LockKey.of("ledger/closing"), Duration.ofSeconds(5))
                .orElseThrow();
        assertThat(client.find(unknown)).isEmpty();
        Thread closing = new Thread(client::close);
        closing.start();
        await().until(() -> closing.getState() == Thread.State.WAITING);
        assertThat(client.find(unknown)).isEmpty();
        assertThat(lease.isHeld()).as("still under way").isTrue();
        lease.release();
        closing.join();
    }

    @Test
    void aLeaseIsHeldSeenEvictedAndRefusedWithItsHolder() throws Exception {
        LockKey key = LockKey.of("ledger/1");
        try (InterlockClient one = memory.client();
                InterlockClient other = memory.client()) {
            Locks locks = one.locks();
            Lease lease = locks.acquire(key, Duration.ofSeconds(5)).orElseThrow();
            assertThat(locks.find(key).orElseThrow().id()).isEqualTo(lease.id());
            assertThat(other.locks().validate(key, lease.token())).isTrue();
            assertThat(other.locks()
                            .list(LeaseQuery.all().startingWith("ledger/"))
                            .leases())
                    .singleElement()
                    .satisfies(found -> assertThat(found.token()).isEqualTo(lease.token()));
            Acquisition refused = other.locks().tryAcquire(key);
            Refusal why = ((Acquisition.Refused) refused).refusal();
            assertThat(why).isInstanceOf(Refusal.Held.class);
            assertThat(why.explanation()).contains("with token " + lease.token());
            assertThat(other.locks().evict(key, lease.token(), "ops", "stuck")).isInstanceOf(EvictAnswer.Evicted.class);
            assertThat(other.locks().evict(key, lease.token(), "ops", "again")).isInstanceOf(EvictAnswer.class);
            assertThat(other.locks().validate(key, lease.token())).isFalse();
            lease.close();
            assertThat(lease.isHeld()).isFalse();
            assertThat(other.locks().tryAcquire(key).lease()).isPresent();
        }
    }

    @Test
    void aLockDelayKeepsAnEvictedKeyClosed() {
        LockKey key = LockKey.of("delayed");
        try (InterlockClient client = memory.client()) {
            LeaseOptions delayed = LeaseOptions.defaults().lockDelay(Duration.ofMinutes(1));
            Lease lease = client.locks().tryAcquire(key, delayed).orElseThrow();
            client.locks().evict(key, lease.token(), "ops", "trial");
            assertThat(client.locks().tryAcquire(key).lease()).isEmpty();
            lease.close();
        }
    }

    @Test
    void aRunGoesFromSubmissionToItsEnd() throws Exception {
        LockKey key = LockKey.of("runs/1");
        try (InterlockClient client = sqlite.client()) {
            CallerRun work = Objects.requireNonNull(((Submission.Started)
                            client.submit(RunRequest.of(key, "close").execution(Execution.CALLER)))
                    .work());
            assertThat(client.submit(RunRequest.of(key, "close").execution(Execution.CALLER)))
                    .isInstanceOfSatisfying(
                            Submission.Rejected.class,
                            refused -> assertThat(refused.refusal().code()).isEqualTo("lock-held"));
            assertThat(client.submit(RunRequest.of(key, "close")
                            .execution(Execution.CALLER)
                            .onConflict(ConflictPolicy.SKIP)))
                    .isInstanceOf(Submission.Skipped.class);
            Submission.Queued queued = (Submission.Queued) client.submit(
                    RunRequest.of(key, "close").execution(Execution.CALLER).onConflict(ConflictPolicy.QUEUE));
            assertThat(queued.position()).isEqualTo(1);
            work.stage("load");
            work.finish(new Ending.Succeeded("{\"rows\":20}"));
            assertThat(client.find(work.run().id()).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
            CallerTurn.Outcome outcome = Objects.requireNonNull(queued.turn()).take();
            CallerRun next = ((CallerTurn.Outcome.Granted) outcome).work();
            assertThat(next.token()).isGreaterThan(work.token());
            client.cancel(next.run().id(), "wrong month");
            await().atMost(Duration.ofSeconds(30)).until(() -> next.stopping().isPresent());
            assertThat(next.stopping().orElseThrow().reason()).contains("wrong month");
            next.close();
            assertThat(client.awaitEnd(next.run().id(), Duration.ofSeconds(20))
                            .orElseThrow()
                            .state()
                            .isTerminal())
                    .isTrue();
        }
    }

    @Test
    void workersTakeRunsThatOthersSubmitAndJoin() throws Exception {
        LockKey key = LockKey.of("runs/2");
        Jobs jobs = Jobs.of(Job.named("load").handler(run -> "{\"done\":true}").build());
        try (InterlockClient client = sqlite.client();
                ServerWorker worker = client.worker();
                WorkerEngine engine = worker.engine(jobs).slots(2).build()) {
            Submission first = client.submit(RunRequest.of(key, "load").onConflict(ConflictPolicy.JOIN));
            Submission second = client.submit(RunRequest.of(key, "load").onConflict(ConflictPolicy.JOIN));
            assertThat(first.isAccepted() && second.isAccepted()).isTrue();
            RunId id = first.orElseThrow().id();
            assertThat(client.awaitEnd(id, Duration.ofSeconds(30)).orElseThrow().state())
                    .isEqualTo(RunState.SUCCEEDED);
            worker.close();
        }
    }

    @Test
    void aHolderKeepsItsLeaseThroughARestartOfTheServer() throws Exception {
        LockKey key = LockKey.of("restart");
        try (TestServer server = TestServer.start(folder, "sqlite:" + folder.resolve("restart.db"));
                InterlockClient client = server.client()) {
            Lease lease = client.locks()
                    .tryAcquire(
                            key,
                            LeaseOptions.defaults().ttl(Duration.ofSeconds(90)).renewEvery(Duration.ofSeconds(1)))
                    .orElseThrow();
            server.restart();
            await().atMost(Duration.ofSeconds(60))
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> client.locks()
                            .find(key)
                            .filter(found -> found.remaining().compareTo(Duration.ofSeconds(85)) > 0)
                            .isPresent());
            assertThat(lease.isHeld()).isTrue();
            lease.close();
        }
    }

    @Test
    void aHolderWhoseServerHangsIsToldBeforeItsLeaseEnds() throws Exception {
        LockKey key = LockKey.of("hanging");
        try (TestServer server = TestServer.start(folder, "memory:");
                InterlockClient client = server.client()) {
            Lease lease = client.locks()
                    .tryAcquire(key, LeaseOptions.defaults().ttl(Duration.ofSeconds(3)))
                    .orElseThrow();
            server.signal("STOP");
            await().atMost(Duration.ofSeconds(3)).until(() -> !lease.isHeld());
            server.signal("KILL");
        }
    }

    @Test
    void problemsAreExceptionsWithTheirCodes() {
        try (InterlockClient stranger = InterlockClient.connect(memory.url(), "ilk_wrong");
                InterlockClient client = memory.client();
                InterlockClient reader = InterlockClient.connect(memory.url(), key("read"))) {
            assertThatThrownBy(() -> stranger.locks().tryAcquire(LockKey.of("k")))
                    .isInstanceOfSatisfying(ProblemException.class, problem -> {
                        assertThat(problem.status()).isEqualTo(401);
                        assertThat(problem.code()).isEqualTo("unauthenticated");
                    });
            assertThatThrownBy(() -> reader.locks().tryAcquire(LockKey.of("k")))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            problem -> assertThat(problem.status()).isEqualTo(403));
            assertThatThrownBy(() -> client.submit(RunRequest.of(LockKey.of("k"), "unknown-job")))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            problem -> assertThat(problem.code()).isEqualTo("unknown-job"));
            assertThat(client.find(RunId.parse("01a1e0eb-5f19-78bb-b9b3-e93f67580689")))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"429,rate-limited", "500,internal-error", "502,", "503,store-unavailable"})
    void whatIsNeitherDoneNorRefusedIsUnclear(int status, String code) {
        try (SpokenServer server = new SpokenServer(
                        (self, question) -> status + "{\"code\":\"" + Objects.toString(code, "") + "\"}");
                InterlockClient client = InterlockClient.builder(server.url())
                        .drainTime(Duration.ZERO)
                        .build()) {
            assertThatThrownBy(() -> client.locks().tryAcquire(LockKey.of("k")))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void aLeaseThatTheServerHasLostIsLostHere() {
        String id = UUID.randomUUID().toString();
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
                    case "acquire" ->
                        question.body()
                                .replaceAll(
                                        ".*\"leaseId\":\"([^\"]*)\".*",
                                        "{\"key\":\"k\",\"leaseId\":\"$1\",\"token\":7,\"expiresAt\":\"2026-11-15T20:00:03Z\"}");
                    case "renew" -> "410{\"code\":\"lease-lost\",\"cause\":\"EVICTED\"}";
                    default -> "204";
                });
                InterlockClient client = InterlockClient.builder(server.url())
                        .drainTime(Duration.ZERO)
                        .build()) {
            Lease lease = client.locks()
                    .tryAcquire(LockKey.of("k"), LeaseOptions.defaults().ttl(Duration.ofSeconds(3)))
                    .orElseThrow();
            await().until(() -> !lease.isHeld());
            assertThatThrownBy(lease::checkpoint).hasMessageContaining("taken away by force");
            assertThat(id).isNotEmpty();
        }
    }

    private static String key(String role) {
        try (InterlockClient admin = memory.client()) {
            return admin.connection()
                    .post("/keys", Facts.with("role", role).and("label", "test"))
                    .shown("apiKey");
        }
    }

    @SuppressWarnings("NullAway") // set before the first test
    private static TestServer unset() {
        return null;
    }
}
