package io.interlock.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.cli.backend.Backend.LeaseApi;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.backend.ServerBackend;
import io.interlock.cli.backend.ServerClient;
import io.interlock.cli.text.Failure;
import io.interlock.time.Environment;
import io.interlock.time.Ticker;
import io.interlock.time.Timers;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code interlock run} through a server that is away for a moment, or asked too much. */
@Timeout(60)
class ServerHeldKeyTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String RUN = "01a1e0eb-5f19-78bb-b9b3-e93f67580689";
    private static final String GRANTED = "{\"id\":\"" + RUN
            + "\",\"leaseId\":\"6b0f2a52-13f4-4a0e-9d1e-5c9d2a1b7f10\",\"token\":1,\"state\":\"RUNNING\"}";
    private static final String AWAY = "503{\"code\":\"store-unavailable\",\"detail\":\"the store does not answer\"}";
    private static final String DONE = "{\"state\":\"SUCCEEDED\"}";
    private static final HeldKey.Result WELL = new HeldKey.Result(HeldKey.Result.Kind.SUCCEEDED, 0, "", "ended");

    @Test
    void aHeartbeatThatIsNotCarriedOutIsSentAgainBeforeTheLeaseIsLost() {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "runs" -> GRANTED;
            case "heartbeat" -> question.before() < 3 ? AWAY : SpokenServer.beating(LEASE);
            default -> DONE;
        })) {
            HeldKey held = ((KeyAcquirer.Entry.Granted) enter(server, KeyAcquirer.Request.IfBusy.FAIL)).held();
            CompletableFuture<HeldKey.Stop> stopped = new CompletableFuture<>();
            held.onStop(stopped::complete);
            await().until(() -> server.asked("heartbeat").size() > 3 || stopped.isDone());
            assertThat(stopped).isNotDone();
            assertThat(held.finish(WELL)).isEmpty();
        }
    }

    @Test
    void anEndThatIsNotWrittenDownIsToldAgain() {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "runs" -> GRANTED;
            case "heartbeat" -> SpokenServer.beating(LEASE);
            default -> question.before() == 0 ? AWAY : question.before() == 1 ? "429{}" : DONE;
        })) {
            HeldKey held = ((KeyAcquirer.Entry.Granted) enter(server, KeyAcquirer.Request.IfBusy.FAIL)).held();
            assertThat(held.finish(WELL)).isEmpty();
            assertThat(server.asked("finish")).hasSize(3);
        }
    }

    @Test
    void whoeverWaitsIsNotSentAwayBecauseTheServerIsAskedTooMuch() throws Exception {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "runs" -> "202{\"id\":\"" + RUN + "\"}";
            case "claim" -> question.before() == 0 ? "429{\"code\":\"rate-limited\"}" : GRANTED;
            case "heartbeat" -> SpokenServer.beating(LEASE);
            default -> DONE;
        })) {
            Place place = ((KeyAcquirer.Entry.InLine) enter(server, KeyAcquirer.Request.IfBusy.WAIT)).place();
            assertThat(place.take())
                    .isInstanceOfSatisfying(
                            Place.Outcome.Taken.class,
                            taken -> assertThat(taken.held().finish(WELL)).isEmpty());
        }
    }

    @Test
    void whoeverLeavesTheLineOfAServerThatIsGoneLeavesAllTheSame() {
        try (SpokenServer server = new SpokenServer((self, question) -> {
            if (question.verb().equals("runs")) {
                return "202{\"id\":\"" + RUN + "\"}";
            }
            throw new IOException("gone");
        })) {
            ((KeyAcquirer.Entry.InLine) enter(server, KeyAcquirer.Request.IfBusy.WAIT))
                    .place()
                    .leave();
            assertThat(server.asked("cancel")).isNotEmpty();
        }
    }

    @Test
    void whoeverWaitsLongerThanAServerLetsAnybodyWaitAsksAgain() throws Exception {
        AtomicLong now = new AtomicLong();
        Environment clocked = new Clocked(now::get);
        String held = "409{\"code\":\"lock-held\",\"explanation\":\"default:k is held by somebody\"}";
        try (SpokenServer server = new SpokenServer((self, question) -> {
            now.addAndGet(Duration.ofSeconds(30).toNanos());
            return question.before() < 2 ? held : "{\"key\":\"k\",\"token\":7}";
        })) {
            LeaseApi leases = new ServerBackend(new ServerClient(server.url(), Map.of()), clocked).leases();
            Duration patience = Duration.ofSeconds(80);
            assertThat(leases.acquire(LockKey.of("k"), LEASE, patience).number("token"))
                    .hasValue(7);
            assertThat(server.asked("acquire"))
                    .extracting(SpokenServer.Question::body)
                    .extracting(body -> body.replaceAll(".*\"wait\":\"([^\"]*)\".*", "$1"))
                    .containsExactly("PT30S", "PT30S", "PT20S");
        }
    }

    @Test
    void whoeverHasWaitedInVainIsToldInTheWordsOfTheCommandLine() {
        AtomicLong now = new AtomicLong();
        String held = "409{\"code\":\"lock-held\",\"explanation\":\"default:k is held by somebody\"}";
        try (SpokenServer server = new SpokenServer((self, question) -> {
            now.addAndGet(Duration.ofSeconds(30).toNanos());
            return held;
        })) {
            LeaseApi leases =
                    new ServerBackend(new ServerClient(server.url(), Map.of()), new Clocked(now::get)).leases();
            assertThatThrownBy(() -> leases.acquire(LockKey.of("k"), LEASE, Duration.ofSeconds(50)))
                    .isInstanceOfSatisfying(Failure.class, busy -> {
                        assertThat(busy.exitCode()).isEqualTo(75);
                        assertThat(busy.what()).isEqualTo("k is held by somebody");
                        assertThat(busy.nextStep()).hasValue("wait for it: interlock acquire --wait 30s k");
                    });
            assertThat(server.asked("acquire")).hasSize(2);
        }
    }

    /** The real surroundings, but for the ticker. */
    private record Clocked(Ticker ticker) implements Environment {

        @Override
        public InstantSource clock() {
            return Environment.system().clock();
        }

        @Override
        public Timers timers(String name) {
            return Environment.system().timers(name);
        }

        @Override
        public ThreadFactory threads(String name) {
            return Environment.system().threads(name);
        }

        @Override
        public RandomGenerator random() {
            return Environment.system().random();
        }
    }

    private static Entry enter(SpokenServer server, KeyAcquirer.Request.IfBusy ifBusy) {
        return new ServerBackend(new ServerClient(server.url(), Map.of()), Environment.system())
                .acquirer()
                .enter(new KeyAcquirer.Request(
                        LockKey.of("k"),
                        "command",
                        ifBusy,
                        null,
                        LEASE,
                        Duration.ofSeconds(10),
                        0,
                        null,
                        Map.of(),
                        "true"));
    }
}
