package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that a server asks another service to do, over real HTTP in both directions. */
class HttpJobTest {

    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @TempDir
    static Path folder;

    private static final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private static HttpServer other;
    private static RealServer server;
    private static String key;

    private record Asked(Map<String, String> headers, JsonObject body) {}

    @BeforeAll
    static void start() throws IOException {
        other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/now", exchange -> answer(exchange, 200));
        other.createContext("/later", exchange -> answer(exchange, 202));
        other.start();
        String url = "http://127.0.0.1:" + other.getAddress().getPort();
        server = RealServer.configured(folder, """
                private-networks: [127.0.0.0/8]
                jobs:
                  now: { run: { http: { url: "%1$s/now" } } }
                  later: { lease: 60s, max-runtime: 5m, run: { http: { url: "%1$s/later", callback: "/api/v1/runs/{runId}/finish" } } }
                """.formatted(url));
        key = server.key().orElseThrow();
    }

    @AfterAll
    static void end() {
        server.close();
        other.stop(0);
    }

    @Test
    void theTraceOfAStartIsHandedToTheOtherSide() {
        JsonObject run = started("trace/1", "now", "traceparent", TRACE);
        Asked request = asked("trace/1");
        assertThat(request.headers()).containsEntry("Traceparent", TRACE);
        assertThat(request.body().getString("runId")).isEqualTo(run.getString("id"));
        assertThat(shown(run).getString("traceparent")).isEqualTo(TRACE);
        started("trace/2", "now", "traceparent", "nonsense");
        assertThat(asked("trace/2").headers()).doesNotContainKey("Traceparent");
    }

    @Test
    void workThatWasAcceptedEndsWithItsCallback() {
        JsonObject run = started("callback/1", "later", "traceparent", TRACE);
        JsonObject told = asked("callback/1").body();
        JsonObject finish = new JsonObject()
                .put("leaseId", told.getString("leaseId"))
                .put("token", told.getLong("token"))
                .put("outcome", "SUCCEEDED")
                .put("result", new JsonObject().put("rows", 7));
        assertThat(server.post(told.getString("callback"), key, finish).statusCode())
                .isEqualTo(200);
        assertThat(shown(run).getString("state")).isEqualTo("SUCCEEDED");
        assertThat(shown(run).getJsonObject("result").getInteger("rows")).isEqualTo(7);
    }

    private static JsonObject started(String name, String job, String... headers) {
        JsonObject body = new JsonObject().put("key", name).put("job", job);
        return RealServer.json(server.post("/api/v1/runs", key, body, headers));
    }

    private static JsonObject shown(JsonObject run) {
        return RealServer.json(server.get("/api/v1/runs/" + run.getString("id"), key, "Prefer", "wait=20"));
    }

    /** What the other side was asked about the key {@code name}. */
    private static Asked asked(String name) {
        await().until(() -> asked.stream().anyMatch(each -> about(each, name)));
        return asked.stream().filter(each -> about(each, name)).findFirst().orElseThrow();
    }

    private static boolean about(Asked request, String name) {
        return request.body().getString("key").equals(name);
    }

    private static void answer(HttpExchange exchange, int status) throws IOException {
        JsonObject body = new JsonObject(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        Map<String, String> headers = exchange.getRequestHeaders().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().get(0)));
        asked.add(new Asked(headers, body));
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }
}
