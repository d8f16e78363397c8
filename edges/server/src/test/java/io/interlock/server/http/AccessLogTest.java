package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log line of each request. */
class AccessLogTest {

    private final Queue<Map<String, String>> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getKeyValuePairs().stream()
                    .collect(Collectors.toMap(pair -> pair.key, pair -> String.valueOf(pair.value))));
        }
    };
    private final EngineRig rig = EngineRig.on("memory:");

    @BeforeEach
    void listen() {
        appender.start();
        logger().addAppender(appender);
    }

    @AfterEach
    void leave() {
        logger().detachAppender(appender);
        rig.closeAll();
    }

    @Test
    void everyStepOfALeaseIsALineWithTenantKeyAndToken() {
        String id = EngineRig.uuid();
        Answer lease =
                rig.post("/locks/acquire", Role.WORKER, """
                {"key": "ledger/1", "leaseId": "%s", "ttl": "30s", "holder": "w"}
                """.formatted(id)).is(200);
        String held = "{\"key\": \"ledger/1\", \"leaseId\": \"" + id + "\", \"token\": " + lease.number("token") + "}";
        rig.post("/locks/renew", Role.WORKER, held).is(200);
        rig.post("/locks/release", Role.WORKER, held).is(204);
        rig.post("/locks/renew", Role.WORKER, held).isProblem(410, "lease-lost");
        for (String step : List.of("acquire", "renew", "release")) {
            assertThat(line("/api/v1/locks/" + step))
                    .containsEntry("tenant", "acme")
                    .containsEntry("key", "ledger/1")
                    .containsEntry("token", Long.toString(lease.number("token")))
                    .containsKeys("requestId", "apiKey", "status", "ms");
        }
        await().until(() -> lines.stream().anyMatch(line -> "lease-lost".equals(line.get("problem"))));
        assertThat(lines.toString()).as("a secret of the holder").doesNotContain(id);
    }

    @Test
    void aClientThatGoesAwayWhileItWaitsIsNoFailure() throws Exception {
        String held =
                "{\"key\": \"gone\", \"leaseId\": \"%s\", \"ttl\": \"30s\", \"holder\": \"w\", \"wait\": \"30s\"}";
        rig.post("/locks/acquire", Role.WORKER, held.formatted(EngineRig.uuid()))
                .is(200);
        for (int i = 0; i < 8; i++) {
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), rig.server.port())) {
                String body = held.formatted(EngineRig.uuid());
                String request =
                        "POST /api/v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: "
                                + rig.key(Role.WORKER) + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
                client.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
                await().until(() -> rig.activeRequests() >= 1);
            }
            await().until(() -> rig.activeRequests() == 0);
        }
        // What is still on its way has come when the server has stopped.
        rig.server.stop(Duration.ofSeconds(20)).toCompletableFuture().join();
        assertThat(lines).noneMatch(line -> line.containsKey("problem"));
    }

    @Test
    void aStartIsALineWithTheRunItStarted() {
        Answer started = rig.post("/runs", Role.TRIGGER, "{\"key\": \"ledger/2\", \"job\": \"remote\"}")
                .is(201);
        assertThat(line("/api/v1/runs"))
                .containsEntry("run", started.text("id"))
                .containsEntry("state", "PENDING")
                .containsEntry("key", "ledger/2");
    }

    /** The first line about {@code path}, which may come a moment after the answer. */
    private Map<String, String> line(String path) {
        await().until(() -> lines.stream().anyMatch(line -> path.equals(line.get("path"))));
        return lines.stream()
                .filter(line -> path.equals(line.get("path")))
                .findFirst()
                .orElseThrow();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("io.interlock.access");
    }
}
