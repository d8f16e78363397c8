package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LeaseRecord;
import io.interlock.StoreUnavailableException;
import io.interlock.run.CancelAnswer;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.store.jdbc.SchemaMode;
import io.interlock.store.jdbc.TableNames;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.ds.PGSimpleDataSource;

/** Answers that are lost, and servers that fall silent. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetworkTest {

    private final PostgresHarness harness = new PostgresHarness();
    private Proxy proxy = new Proxy(harness.server().port());

    @BeforeEach
    void reset() {
        harness.reset();
        proxy = new Proxy(harness.server().port());
    }

    @AfterEach
    void closeProxy() {
        proxy.close();
    }

    @AfterAll
    void close() {
        harness.close();
    }

    @Test
    void anAcquireWhoseAnswerIsLostIsRepeatedAndGivesTheSameGrant() {
        try (LeaseStore store = throughProxy("timeout=3s")) {
            AtomicReference<String> first = new AtomicReference<>();
            proxy.cutAnswerTo("interlock_acquire", () -> first.set(storedToken()));
            LeaseRecord lease = Bench.take(store, "k");
            assertThat(proxy.cuts()).isEqualTo(1);
            assertThat(lease.token()).hasToString(first.get());
            assertThat(storedToken()).isEqualTo(first.get());
        }
    }

    @Test
    void aTakeOverWhoseAnswerIsLostHappensOnce() {
        try (LeaseStore store = throughProxy("timeout=3s")) {
            LeaseRecord before = Bench.take(store, "k");
            harness.advance(Bench.TTL);
            AcquireRequest request = Bench.asking("k");
            AtomicReference<String> first = new AtomicReference<>();
            proxy.cutAnswerTo("interlock_acquire", () -> first.set(storedToken()));
            LeaseRecord lease = Bench.take(store, request);
            assertThat(lease.id()).isEqualTo(request.id());
            assertThat(lease.token()).hasToString(first.get());
            assertThat(lease.token().isAfter(before.token())).isTrue();
        }
    }

    @Test
    void aReleaseWhoseAnswerIsLostIsUnclearTakesEffectAndWakesWhoeverWaits() throws Exception {
        CountDownLatch listening = new CountDownLatch(1);
        AtomicInteger wakeUps = new AtomicInteger();
        try (LeaseStore store = throughProxy("timeout=3s");
                LeaseStore waiter = harness.open(Environment.system());
                var subscription = waiter.changes().watch(Bench.key("k"), () -> {
                    listening.countDown();
                    wakeUps.incrementAndGet();
                })) {
            assertThat(listening.await(10, TimeUnit.SECONDS)).isTrue();
            LeaseRecord lease = Bench.take(store, "k");
            Bench.ask(waiter, Bench.asking("k").waiting());
            int before = wakeUps.get();
            proxy.cutAnswerTo("interlock_release", () -> {});
            assertThatThrownBy(() -> Bench.release(store, lease))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("lost the connection during a release");
            await().until(() -> wakeUps.get() > before);
            Bench.take(waiter, "k");
        }
    }

    @Test
    void aCancellationWhoseAnswerIsLostIsOne() {
        try (RunStore store = (RunStore) throughProxy("timeout=3s")) {
            Run run = RunWords.queued(store, "k");
            proxy.cutAnswerTo("interlock_cancel", () -> {});
            CancelAnswer answer = store.cancel(new CancelRequest(run.id(), "carol", "enough"));
            assertThat(proxy.cuts()).isEqualTo(1);
            assertThat(answer).isInstanceOf(CancelAnswer.Cancelled.class);
            assertThat(store.cancel(new CancelRequest(run.id(), "dave", "enough")))
                    .as("somebody else's came too late")
                    .isInstanceOf(CancelAnswer.Over.class);
        }
    }

    @Test
    void theEndOfAPauseWhoseAnswerIsLostIsUnclearAndNotCalledUnknown() {
        try (RunStore store = (RunStore) throughProxy("timeout=3s")) {
            store.pause(new PauseRequest("acme", "k", "carol", "upgrade", null));
            proxy.cutAnswerTo("interlock_resume", () -> {});
            unclear(() -> store.resume(new ResumeRequest("acme", "k", "carol", "done")));
            Bench.take(store, "k");
        }
    }

    @Test
    void aStateThatIsSetAndWhoseAnswerIsLostIsUnclearAndNoMismatch() {
        try (RunStore store = (RunStore) throughProxy("timeout=3s")) {
            ResourceRequest request = new ResourceRequest(Bench.key("k"), "cluster", "READY", 0, "carol", "it is");
            proxy.cutAnswerTo("interlock_put_resource", () -> {});
            unclear(() -> store.setResource(request));
            assertThat(store.resource(Bench.key("k")).orElseThrow().state()).isEqualTo("READY");
            assertThat(store.setResource(request)).as("now it is clear").isInstanceOf(ResourceAnswer.Mismatch.class);
        }
    }

    @Test
    void anEvictionThatOpenedTheKeyAndWhoseAnswerIsLostIsUnclearAndNoMismatch() {
        try (RunStore store = (RunStore) throughProxy("timeout=3s")) {
            RunLimits grace = new RunLimits(null, null, Duration.ofHours(1));
            RunWords.submitted(
                    store,
                    SubmitRequest.of(
                            RunWords.freshRun(), Bench.key("k"), RunWords.spec().limits(grace)));
            LeaseRecord lease = RunWords.claim(store).lease();
            RunWords.queued(store, "k");
            harness.advance(Duration.ofMinutes(1));
            proxy.cutAnswerTo("interlock_evict", () -> {});
            unclear(() -> store.evict(new EvictRequest(Bench.key("k"), lease.token(), "carol", "gone")));
            RunWords.claim(store);
        }
    }

    private void unclear(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("lost the connection");
        assertThat(proxy.cuts()).isEqualTo(1);
    }

    @Test
    void aSilentServerIsUnavailableWithinTheTimeoutAndUsableAfterwards() {
        try (LeaseStore store = throughProxy("timeout=1s")) {
            LeaseRecord lease = Bench.take(store, "k");
            proxy.silence(true);
            assertUnavailableWithin(Duration.ofMillis(2500), () -> Bench.take(store, "other"));
            assertUnavailableWithin(Duration.ofMillis(2500), () -> Bench.renew(store, lease));
            assertUnavailableWithin(Duration.ofMillis(2500), () -> throughProxy("timeout=1s"));
            proxy.silence(false);
            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> Bench.release(store, lease) instanceof ReleaseAnswer.Released);
        }
    }

    @Test
    void aServerThatAcceptsAndSaysNothingIsUnavailable() {
        PostgresServer server = harness.server();
        server.signal("STOP");
        try {
            assertUnavailableWithin(Duration.ofMillis(2500), () -> Stores.open(harness.url("timeout=1s")));
        } finally {
            server.signal("CONT");
        }
    }

    @Test
    void anInterruptedCallerGetsItsAnswerAndKeepsTheInterrupt() {
        try (LeaseStore store = harness.open(Environment.system())) {
            Thread.currentThread().interrupt();
            LeaseRecord lease = Bench.take(store, "k");
            assertThat(Thread.interrupted()).isTrue();
            assertThat(Bench.release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
        }
    }

    @Test
    void whileTheListenerHearsNothingPollingServesTheWaiterAndTheListenerRecovers() throws Exception {
        PostgresSettings settings = new PostgresSettings(
                "test",
                new TableNames(harness.schema(), TableNames.DEFAULT_PREFIX),
                SchemaMode.NONE,
                PostgresSettings.DEFAULT_MAX_LEASE,
                Duration.ofSeconds(1));
        AtomicInteger looks = new AtomicInteger();
        try (LeaseStore store = throughProxy("timeout=1s");
                Listener listener =
                        new Listener(raw(), settings, Environment.system(), new Watchers(), Duration.ofMillis(200));
                var subscription = listener.watch(Bench.key("k"), looks::incrementAndGet)) {
            await().until(() -> looks.get() == 1);
            LeaseRecord lease = Bench.take(store, "k");
            Bench.ask(store, Bench.asking("k").waiting());
            proxy.silenceConnectionsThatSaid("LISTEN");
            Bench.release(store, lease);
            Bench.take(store, "k");
            await().atMost(Duration.ofSeconds(10)).until(() -> looks.get() >= 2);
        }
    }

    private void assertUnavailableWithin(Duration most, ThrowingCallable call) {
        Instant start = Instant.now();
        assertThatThrownBy(call)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("localhost:")
                .hasMessageNotContaining("postgres@");
        assertThat(Duration.between(start, Instant.now())).isLessThan(most);
    }

    private LeaseStore throughProxy(String options) {
        // With a threshold of 0 every request carries its text, by which the proxy knows it.
        return Stores.open("postgresql://postgres@localhost:" + proxy.port() + "/postgres?prepareThreshold=0&schema="
                + harness.schema() + "&" + options);
    }

    private DataSource raw() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setPortNumbers(new int[] {proxy.port()});
        source.setUser("postgres");
        source.setSocketTimeout(1);
        return source;
    }

    private String storedToken() {
        return harness.server().ask("SELECT token FROM " + harness.table("lease"));
    }
}
