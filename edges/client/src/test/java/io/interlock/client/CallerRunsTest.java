package io.interlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Ending;
import io.interlock.run.RunSpec.Execution;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs of callers at a server that is away for a moment, or asked too much. */
@Timeout(60)
class CallerRunsTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String RUN = "01a1e0eb-5f19-78bb-b9b3-e93f67580689";
    private static final String GRANTED = "201{\"id\":\"" + RUN
            + "\",\"key\":\"k\",\"job\":\"command\",\"leaseId\":\"6b0f2a52-13f4-4a0e-9d1e-5c9d2a1b7f10\",\"token\":1,"
            + "\"state\":\"RUNNING\",\"expiresAt\":\"2026-11-15T20:00:02Z\"}";
    private static final String QUEUED =
            "202{\"id\":\"" + RUN + "\",\"key\":\"k\",\"job\":\"command\",\"state\":\"QUEUED\",\"position\":1}";
    private static final String AWAY = "503{\"code\":\"store-unavailable\",\"detail\":\"the store does not answer\"}";
    private static final String DONE = "{\"state\":\"SUCCEEDED\"}";

    @Test
    void aHeartbeatThatIsNotCarriedOutIsSentAgainBeforeTheLeaseIsLost() {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
                    case "runs" -> GRANTED;
                    case "heartbeat" -> question.before() < 2 ? AWAY : SpokenServer.beating(LEASE);
                    default -> DONE;
                });
                InterlockClient client = client(server)) {
            CallerRun work = started(client.submit(request(ConflictPolicy.REJECT)));
            await().until(() ->
                    server.asked("heartbeat").size() > 2 || work.stopping().isPresent());
            assertThat(work.stopping()).isEmpty();
            work.finish(new Ending.Succeeded(null));
        }
    }

    @Test
    void theSuccessOfAnotherProgramKeepsNoLease() {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
                    case "runs" -> GRANTED;
                    case "heartbeat" -> "{\"status\":\"ok\"}";
                    default -> DONE;
                });
                InterlockClient client = client(server)) {
            CallerRun work = started(client.submit(request(ConflictPolicy.REJECT)));
            await().until(() -> work.stopping().isPresent());
        }
    }

    @Test
    void anEndThatIsNotWrittenDownIsToldAgain() {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
                    case "runs" -> GRANTED;
                    case "heartbeat" -> SpokenServer.beating(LEASE);
                    default -> question.before() == 0 ? AWAY : question.before() == 1 ? "429{}" : DONE;
                });
                InterlockClient client = client(server)) {
            CallerRun work = started(client.submit(request(ConflictPolicy.REJECT)));
            assertThatThrownBy(() -> work.finish(new Ending.Succeeded(null)))
                    .isInstanceOf(StoreUnavailableException.class);
            await().until(() -> server.asked("finish").size() == 3);
        }
    }

    @Test
    void aCallerThatWaitsIsNotSentAwayBecauseTheServerIsAskedTooMuch() throws Exception {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
                    case "runs" -> QUEUED;
                    case "claim" -> question.before() < 2 ? "429{\"code\":\"rate-limited\"}" : GRANTED;
                    case "heartbeat" -> SpokenServer.beating(LEASE);
                    default -> DONE;
                });
                InterlockClient client = client(server)) {
            CallerTurn turn = queued(client.submit(request(ConflictPolicy.QUEUE)));
            assertThat(turn.take()).isInstanceOfSatisfying(CallerTurn.Outcome.Granted.class, granted -> {
                assertThat(granted.work().token().value()).isEqualTo(1);
                granted.work().close();
            });
        }
    }

    @Test
    void aCallerThatLeavesTheQueueOfAServerThatIsGoneLeavesAllTheSame() {
        try (SpokenServer server = new SpokenServer((self, question) -> {
                    if (question.verb().equals("runs")) {
                        return QUEUED;
                    }
                    throw new IOException("gone");
                });
                InterlockClient client = client(server)) {
            queued(client.submit(request(ConflictPolicy.QUEUE))).close();
            await().until(() -> !server.asked("cancel").isEmpty());
        }
    }

    @Test
    void aCallerWaitsNoLongerThanItSaidThoughTheServerIsGone() {
        try (SpokenServer server = new SpokenServer((self, question) -> {
                    if (question.verb().equals("runs")) {
                        return QUEUED;
                    }
                    throw new IOException("gone");
                });
                InterlockClient client = client(server)) {
            CallerTurn turn = queued(client.submit(request(ConflictPolicy.QUEUE).maxWait(Duration.ofMillis(100))));
            assertThatThrownBy(turn::take)
                    .isInstanceOf(StoreUnavailableException.class)
                    .cause()
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasCauseInstanceOf(UnreachableException.class);
        }
    }

    private static InterlockClient client(SpokenServer server) {
        return InterlockClient.builder(server.url()).drainTime(Duration.ZERO).build();
    }

    private static RunRequest request(ConflictPolicy policy) {
        return RunRequest.of(LockKey.of("k"), "command")
                .execution(Execution.CALLER)
                .onConflict(policy)
                .lease(LEASE);
    }

    private static CallerRun started(Submission answer) {
        return Objects.requireNonNull(((Submission.Started) answer).work());
    }

    private static CallerTurn queued(Submission answer) {
        return Objects.requireNonNull(((Submission.Queued) answer).turn());
    }
}
