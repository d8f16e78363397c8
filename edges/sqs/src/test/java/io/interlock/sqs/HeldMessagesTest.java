package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.config.SqsSettings;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.sqs.MessageDelivery.Kind;
import io.interlock.sqs.MessageDelivery.Outcome;
import io.interlock.sqs.Queue.Message;
import io.interlock.time.Environment;
import io.interlock.time.ForwardingEnvironment;
import io.interlock.time.LocalTime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that wait in the queue, on a clock of the test. */
class HeldMessagesTest {

    private static final Pattern HIDDEN =
            Pattern.compile("\"ReceiptHandle\":\"([^\"]+)\".*\"VisibilityTimeout\":(\\d+)");
    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);
    private final Map<String, Instant> visibleAt = new ConcurrentHashMap<>();
    private HttpServer sqs;

    @BeforeEach
    void start() throws IOException {
        System.setProperty("aws.accessKeyId", "test");
        System.setProperty("aws.secretAccessKey", "nothing");
        sqs = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sqs.createContext("/", this::answer);
        sqs.start();
    }

    @AfterEach
    void stop() {
        sqs.stop(0);
    }

    @Test
    void noneBecomesVisibleThoughTheStoreIsSlow() {
        Duration retryAfter = Duration.ofSeconds(30);
        try (Queue queue = queue()) {
            HeldMessages held = new HeldMessages(
                    queue, new MessageDelivery(slowStore(Duration.ofSeconds(10)), queue), time(), retryAfter);
            List<String> receipts =
                    IntStream.range(0, 20).mapToObj(i -> "receipt-" + i).toList();
            receipts.forEach(receipt -> held.add(
                    new Message(receipt, receipt, "", 1, NOON, "{}", receipt),
                    RunRequest.of(LockKey.of("acme", receipt), "note"),
                    new Outcome(Kind.NOT_NOW, "the key is paused")));
            later(retryAfter);
            held.round((message, why) -> {
                throw new AssertionError(why);
            });
            assertThat(visibleAt).containsOnlyKeys(receipts);
            assertThat(held.size()).isEqualTo(receipts.size());
        }
    }

    /** As SQS, refuses to hide a message that has become visible and may have another receiver. */
    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Matcher hidden = HIDDEN.matcher(body);
            boolean found = hidden.find();
            boolean late = found
                    && visibleAt.getOrDefault(hidden.group(1), Instant.MAX).isBefore(now.get());
            if (found && !late) {
                visibleAt.put(hidden.group(1), now.get().plusSeconds(Long.parseLong(hidden.group(2))));
            }
            byte[] answer = (late ? "{\"__type\":\"com.amazonaws.sqs#MessageNotInflight\"}" : "{}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
            exchange.sendResponseHeaders(late ? 400 : 200, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    private Queue queue() {
        URI endpoint = URI.create("http://127.0.0.1:" + sqs.getAddress().getPort());
        Duration any = Duration.ofSeconds(1);
        return Queue.of(new SqsSettings(
                endpoint.resolve("/000000000000/jobs.fifo"),
                "acme",
                new SqsSettings.Place(null, endpoint),
                1,
                new SqsSettings.Times(any, any, any, any),
                SqsSettings.Messages.OWN));
    }

    private RunEngine slowStore(Duration time) {
        return (RunEngine) Proxy.newProxyInstance(
                RunEngine.class.getClassLoader(), new Class<?>[] {RunEngine.class}, (proxy, method, arguments) -> {
                    later(time);
                    RunRequest request = (RunRequest) arguments[0];
                    return new Submission.Rejected(
                            new Refusal.StoreRecovering(request.key(), NOON, NOON.plusSeconds(1)));
                });
    }

    private LocalTime time() {
        return new LocalTime(new ForwardingEnvironment(Environment.system()) {
            @Override
            public InstantSource clock() {
                return now::get;
            }
        });
    }

    private void later(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }
}
