package io.interlock.engine.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.interlock.InvalidSettingException;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunHandler.WorkGoesOnException;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.engine.command.FakeContext;
import io.interlock.engine.http.HttpAnswer;
import io.interlock.engine.http.HttpRules;
import io.interlock.engine.http.HttpSpec;
import io.interlock.engine.http.OtherSide;
import io.interlock.engine.http.PinnedHttp;
import io.interlock.engine.http.RawServer;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.tck.ManualTime;
import io.interlock.time.Environment;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job done over HTTP, seen from its run. */
@Timeout(60)
class HttpHandlerTest {

    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String BACK = "https://interlock.example/api/v1/runs/{runId}/finish";
    private static final HttpRules LOOPBACK =
            HttpRules.hosts(List.of("127.0.0.1")).networks(List.of("127.0.0.1/32"));

    private final Environment real = Environment.system();
    private final PinnedHttp http = new PinnedHttp(LOOPBACK, real);
    private final ManualTime time = new ManualTime();
    private final PinnedHttp slow = new PinnedHttp(LOOPBACK, time);
    private final FakeContext context = new FakeContext("{\"rows\": [1, 2]}", TRACE);

    @AfterEach
    void close() {
        http.close();
        slow.close();
    }

    @Test
    void theOtherSideIsToldEverything() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "")) {
            HttpSpec spec = HttpSpec.of(other.url("/do/it?x=%20y"))
                    .headers(Map.of("Authorization", "Bearer abc"))
                    .callback(BACK);
            assertThat(run(spec)).isNull();
            OtherSide.Asked asked = other.asked.get(0);
            assertThat(asked.method()).isEqualTo("POST");
            assertThat(asked.path()).isEqualTo("/do/it?x=%20y");
            assertThat(asked.body())
                    .isEqualTo("{\"runId\":\"01890000-0000-7000-8000-000000000001\",\"key\":\"ledger/4711\","
                            + "\"tenant\":\"acme\",\"job\":\"export\",\"attempt\":2,\"token\":4183,"
                            + "\"parameters\":{\"rows\": [1, 2]},\"callback\":"
                            + "\"https://interlock.example/api/v1/runs/01890000-0000-7000-8000-000000000001/finish\"}");
            assertThat(asked.headers())
                    .containsEntry("Interlock-run-id", List.of("01890000-0000-7000-8000-000000000001"))
                    .containsEntry("Interlock-token", List.of("4183"))
                    .containsEntry("Traceparent", List.of(TRACE))
                    .containsEntry("Authorization", List.of("Bearer abc"))
                    .containsEntry("Content-type", List.of("application/json"))
                    .doesNotContainKey("Webhook-signature");
        }
    }

    @Test
    void theOtherSideCanCheckWhoAsks() throws Exception {
        WebhookSigner signer = new WebhookSigner(List.of(SECRET), real.clock());
        try (OtherSide other = OtherSide.answering(200, "")) {
            run(HttpSpec.of(other.url("/")).signer(signer));
            OtherSide.Asked asked = other.asked.get(0);
            assertThat(asked.header("webhook-id")).isEqualTo("01890000-0000-7000-8000-000000000001-2");
            assertThat(signer.verify(asked::header, asked.body().getBytes(StandardCharsets.UTF_8)))
                    .isTrue();
        }
    }

    @Test
    void anAnswerInJsonIsTheResult() throws Exception {
        try (OtherSide other = OtherSide.answering(201, " {\"rows\": 17}\n")) {
            assertThat(run(HttpSpec.of(other.url("/")))).isEqualTo(" {\"rows\": 17}\n");
            assertThat(context.stopTasks()).as("nothing is left to be stopped").isZero();
        }
    }

    @Test
    void anAnswerThatIsNoResultIsOutput() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "done\u001b[0m!")) {
            assertThat(run(HttpSpec.of(other.url("/")))).isNull();
        }
        try (OtherSide other = OtherSide.answering(200, "\"" + "x".repeat(HttpAnswer.MOST) + "\"")) {
            assertThat(run(HttpSpec.of(other.url("/")))).isNull();
        }
        assertThat(context.output()).isEqualTo("done\ufffd[0m!\n\"" + "x".repeat(HttpHandler.SHOWN - 1) + "…\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 409, 410, 422, 451})
    void aNoIsFinal(int status) throws Exception {
        try (OtherSide other = OtherSide.answering(status, status == 304 ? "" : "because", "Location", "/elsewhere")) {
            assertThatThrownBy(() -> run(HttpSpec.of(other.url("/"))))
                    .isInstanceOfSatisfying(
                            PermanentFailureException.class,
                            e -> assertThat(e.code()).isEqualTo(HttpHandler.HTTP_REFUSED))
                    .hasMessageContaining("answered " + status);
            assertThat(other.asked).as("requests").hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 429, 500, 503, 599})
    void aNotNowIsTriedAgain(int status) throws Exception {
        try (OtherSide other = OtherSide.answering(status, "busy", "Retry-After", "17")) {
            assertThatThrownBy(() -> run(HttpSpec.of(other.url("/path?secret=1"))))
                    .isInstanceOfSatisfying(TransientFailureException.class, e -> {
                        assertThat(e.code()).isEqualTo(HttpHandler.HTTP_UNAVAILABLE);
                        assertThat(e.rest()).contains(Duration.ofSeconds(17));
                    })
                    .hasMessageContaining("/path answered " + status + ": busy");
            assertThat(other.asked).as("requests").hasSize(1);
        }
    }

    @Test
    void aRestMayBeSaidInManyWays() {
        ManualTime time = new ManualTime(Instant.parse("2026-11-15T12:00:00Z"));
        assertThat(HttpHandler.retryAfter("Sun, 15 Nov 2026 12:01:00 GMT", time.clock()))
                .contains(Duration.ofMinutes(1));
        assertThat(HttpHandler.retryAfter("Sun, 15 Nov 2026 11:00:00 GMT", time.clock()))
                .contains(Duration.ZERO);
        assertThat(HttpHandler.retryAfter("999999999", time.clock())).contains(HttpHandler.LONGEST_REST);
        assertThat(HttpHandler.retryAfter("soon", time.clock())).isEmpty();
        assertThat(HttpHandler.retryAfter("-1", time.clock())).isEmpty();
    }

    @Test
    void anAddressWithoutAServerIsTriedAgain() throws Exception {
        URI closed;
        try (OtherSide other = OtherSide.answering(200, "")) {
            closed = other.url("/");
        }
        assertThatThrownBy(() -> run(HttpSpec.of(closed)))
                .isInstanceOf(TransientFailureException.class)
                .hasMessageContaining("gave no answer");
    }

    @Test
    void whoeverDoesNotAnswerIsGivenUpAfterALease() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (OtherSide other = OtherSide.doing(exchange -> hold(end))) {
            HttpSpec spec = HttpSpec.of(other.url("/")).timeout(Duration.ofMillis(300));
            CompletableFuture<@Nullable Throwable> failed = inManualTime(spec);
            await().until(() -> !other.asked.isEmpty());
            time.advance(Duration.ofMillis(300));
            assertThat(afterALease(failed))
                    .isInstanceOf(TransientFailureException.class)
                    .hasMessageContaining("no complete answer within 300ms");
            assertThat(context.output()).contains("no complete answer within 300ms; it may work on");
            end.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {502, 504, 520, 524})
    void whatNobodyKnowsTheEndOfFailsAfterALease(int status) throws Exception {
        try (OtherSide other = OtherSide.answering(status, "gave up", "Retry-After", "17")) {
            assertThat(afterALease(inManualTime(HttpSpec.of(other.url("/")))))
                    .isInstanceOfSatisfying(
                            TransientFailureException.class,
                            e -> assertThat(e.rest()).contains(Duration.ofSeconds(17)))
                    .hasMessageContaining("answered " + status + ": gave up");
        }
    }

    @Test
    void whoeverMayStillCallBackKeepsTheLease() throws Exception {
        try (RawServer other = RawServer.sending("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")) {
            assertThatThrownBy(() -> run(HttpSpec.of(other.url()).callback(BACK)))
                    .isInstanceOf(WorkGoesOnException.class)
                    .hasMessageContaining("broke off");
        }
    }

    @Test
    void whatMustStopWhileNobodyKnowsItsEndIsLeft() throws Exception {
        try (OtherSide other = OtherSide.answering(504, "")) {
            CompletableFuture<@Nullable Throwable> end = inManualTime(HttpSpec.of(other.url("/")));
            await().until(() -> context.output().contains("may work on"));
            context.stop();
            assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(WorkGoesOnException.class);
        }
    }

    @Test
    void aRequestIsCancelledWhenTheWorkMustStop() throws Exception {
        try (RawServer other = RawServer.dripping("HTTP/1.1 200 OK\r\n\r\n")) {
            CompletableFuture<@Nullable Throwable> end = background(HttpSpec.of(other.url()));
            assertThat(other.asked.await(20, TimeUnit.SECONDS)).isTrue();
            context.stop();
            assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(WorkGoesOnException.class);
            assertThat(other.hungUp.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void anInterruptCancelsToo() throws Exception {
        CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
        try (RawServer other = RawServer.dripping("HTTP/1.1 200 OK\r\n\r\n")) {
            Thread worker = real.threads("worker")
                    .newThread(() -> end.complete(catchThrowable(() -> run(HttpSpec.of(other.url())))));
            worker.start();
            assertThat(other.asked.await(20, TimeUnit.SECONDS)).isTrue();
            worker.interrupt();
            assertThat(end.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(WorkGoesOnException.class)
                    .hasMessageStartingWith("interrupted");
        }
    }

    @Test
    void anAcceptedRunGoesOnUntilItIsStopped() throws Exception {
        try (OtherSide other = OtherSide.answering(202, "")) {
            CompletableFuture<@Nullable Throwable> end =
                    background(HttpSpec.of(other.url("/")).callback(BACK));
            await().until(() -> !other.asked.isEmpty());
            context.stop();
            assertThat(end.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(WorkGoesOnException.class)
                    .hasMessage("no longer needed, and " + other.url("/") + " may work on");
        }
    }

    @Test
    void whatIsStoppedBeforeItIsSentIsNotLeft() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "")) {
            context.stop();
            assertThatThrownBy(() -> run(HttpSpec.of(other.url("/")))).isInstanceOf(RunStoppedException.class);
            assertThat(other.asked).isEmpty();
        }
    }

    @Test
    void acceptingWithoutACallbackIsAnError() throws Exception {
        try (OtherSide other = OtherSide.answering(202, "")) {
            assertThat(afterALease(inManualTime(HttpSpec.of(other.url("/")))))
                    .isInstanceOf(PermanentFailureException.class)
                    .hasMessageContaining("the job names no callback; set one, or answer 200");
        }
    }

    @Test
    void whereRequestsMayNotGoIsSaidAtOnceOrBeforeAnythingIsSent() throws Exception {
        assertThatThrownBy(() -> new HttpHandler(HttpSpec.of(URI.create("http://example.com/?key=1")), http, real))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("http://example.com/' goes to a host that is not allowed")
                .hasMessageNotContaining("key=1");
        try (OtherSide other = OtherSide.answering(200, "");
                PinnedHttp strict = new PinnedHttp(HttpRules.hosts(List.of("127.0.0.1")), real)) {
            assertThatThrownBy(() -> new HttpHandler(HttpSpec.of(other.url("/")), strict, real).run(context))
                    .isInstanceOfSatisfying(
                            PermanentFailureException.class,
                            e -> assertThat(e.code()).isEqualTo(HttpHandler.HTTP_REQUEST_INVALID))
                    .hasMessageContaining("127.0.0.1, which is not public");
            assertThat(other.asked).isEmpty();
        }
    }

    @Test
    void secretsAreNotShown() {
        HttpSpec spec = HttpSpec.of(URI.create("https://example.com/a?token=secret"))
                .headers(Map.of("Authorization", "Bearer secret"))
                .signer(new WebhookSigner(List.of(SECRET), real.clock()));
        assertThat(spec).hasToString("HttpSpec[https://example.com/a]");
        assertThat(new WebhookSigner(List.of(SECRET), real.clock())).hasToString("WebhookSigner[1 secrets]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Host", "Content-Length", "transfer-encoding", "Interlock-Token", "webhook-id", "a b", "a:b", ""
            })
    void headersThatAreNotTheJobsAreRefused(String name) {
        HttpSpec spec = HttpSpec.of(URI.create("https://example.com/"));
        assertThatThrownBy(() -> spec.headers(Map.of(name, "x"))).isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> spec.headers(Map.of("X", "secret\r\nHost: y")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageNotContaining("secret");
    }

    private @Nullable String run(HttpSpec spec) throws Exception {
        return new HttpHandler(spec, http, real).run(context);
    }

    private CompletableFuture<@Nullable Throwable> background(HttpSpec spec) {
        return background(spec, http);
    }

    private CompletableFuture<@Nullable Throwable> inManualTime(HttpSpec spec) {
        return background(spec, slow);
    }

    private CompletableFuture<@Nullable Throwable> background(HttpSpec spec, PinnedHttp by) {
        CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
        real.threads("worker")
                .newThread(() -> end.complete(catchThrowable(() -> new HttpHandler(spec, by, real).run(context))))
                .start();
        return end;
    }

    private @Nullable Throwable afterALease(CompletableFuture<@Nullable Throwable> end) throws Exception {
        await().until(() -> context.output().contains("may work on") && time.scheduled() == 1);
        Duration ttl = context.run().spec().terms().ttl();
        time.advance(ttl.minusMillis(1));
        assertThat(end).isNotDone();
        time.advance(Duration.ofMillis(1));
        return end.get(20, TimeUnit.SECONDS);
    }

    private static void hold(CountDownLatch end) throws IOException {
        try {
            end.await();
        } catch (InterruptedException over) {
            throw new IOException(over);
        }
    }
}
