package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.engine.access.ApiKey;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.embedded.RedisServer;

/** A server on a store that keeps leases only: leases and locks are served, and whatever needs runs says why it cannot be had. */
class LeasesOnlyTest {

    private static final String WORKER = ApiKey.draw(new SecureRandom()).text();

    @TempDir
    static Path folder;

    private static RedisServer redis;
    private static String store;
    private static RealServer server;
    private static String admin;

    @BeforeAll
    static void start() throws IOException {
        int port = freePort();
        redis = RedisServer.builder()
                .port(port)
                .setting("appendonly yes")
                .setting("appendfsync always")
                .setting("dir " + folder)
                .build();
        redis.start();
        // A new Redis grants nothing for as long as the longest lease, unless its user confirms the first use.
        store = "redis://127.0.0.1:" + port + "?firstUse=true";
        Path secret = Files.writeString(folder.resolve("worker.key"), WORKER + "\n");
        server = RealServer.start(
                folder, Map.of("INTERLOCK_STORE", store), "server", "--config", file("""
                jobs:
                  export: { api: pipelines, run: { worker: remote } }
                keys:
                  - { secret-file: "%s", role: worker, tenant: acme }
                """.formatted(secret)));
        admin = server.key().orElseThrow();
    }

    @AfterAll
    static void stop() throws IOException {
        if (server != null) {
            server.close();
        }
        redis.stop();
    }

    @Test
    void bareLeasesAreServedAsOnAnyStore() {
        String lease = UUID.randomUUID().toString();
        JsonObject granted = ok(acquire("a/b", lease, "me"));
        assertThat(granted.getString("key")).isEqualTo("a/b");
        assertThat(granted.getString("heartbeatEvery")).isEqualTo("PT10S");
        long token = granted.getLong("token");
        HttpResponse<String> refused = acquire("a/b", UUID.randomUUID().toString(), "other");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(RealServer.json(refused).getString("code")).isEqualTo("lock-held");
        assertThat(RealServer.json(refused).getJsonObject("holder").getString("holder"))
                .contains("me");
        JsonObject lock = ok(server.get("/api/v1/locks?key=a/b", WORKER))
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(lock.getString("state")).isEqualTo("HELD");
        assertThat(lock.getLong("token")).isEqualTo(token);
        JsonObject mine =
                new JsonObject().put("key", "a/b").put("leaseId", lease).put("token", token);
        assertThat(ok(server.post("/api/v1/locks/renew", WORKER, mine.copy().put("ttl", "1m")))
                        .getLong("token"))
                .isEqualTo(token);
        assertThat(ok(server.get("/api/v1/locks/validate?key=a/b&token=" + token, WORKER))
                        .getBoolean("valid"))
                .isTrue();
        assertThat(ok(server.get("/api/v1/locks", admin)).getJsonArray("items"))
                .as("those of another tenant")
                .isEmpty();
        for (int again = 0; again < 2; again++) {
            assertThat(server.post("/api/v1/locks/release", WORKER, mine).statusCode())
                    .isEqualTo(204);
        }
        assertThat(ok(server.get("/api/v1/locks?key=a/*", WORKER)).getJsonArray("items"))
                .isEmpty();
    }

    @Test
    void whoWaitsGetsTheKeyWhenItIsGivenBack() {
        String lease = UUID.randomUUID().toString();
        long token = ok(acquire("waited", lease, "first")).getLong("token");
        var waiting = server.postAsync(
                "/api/v1/locks/acquire",
                WORKER,
                request("waited", UUID.randomUUID().toString(), "second").put("wait", "30s"));
        server.post(
                "/api/v1/locks/release",
                WORKER,
                new JsonObject().put("key", "waited").put("leaseId", lease).put("token", token));
        assertThat(ok(waiting.join()).getLong("token")).isGreaterThan(token);
    }

    @Test
    void operatorsEvictAndSeeWhatIsSwept() {
        long token = ok(acquire("stuck", UUID.randomUUID().toString(), "gone")).getLong("token");
        JsonObject force =
                new JsonObject().put("key", "stuck").put("token", token).put("reason", "its host is gone");
        assertThat(server.post("/api/v1/locks/evict", WORKER, force).statusCode())
                .isEqualTo(403);
        HttpResponse<String> evicted = server.post("/api/v1/locks/evict", admin, force, "X-Tenant", "acme");
        assertThat(ok(evicted).getLong("releasedToken")).isEqualTo(token);
        assertThat(ok(server.get("/api/v1/janitor", admin)).fieldNames()).contains("sweeps");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/runs",
        "GET, /api/v1/audit",
        "GET, /api/v1/jobs",
        "GET, /api/v1/stream",
        "GET, /pipelines/locks",
        "GET, /pipelines/runs/01JCM0000000000000000000AA",
        "GET, /debug/locks/f/readiness",
        "GET, /api/v1/events/e1/ingestion",
        "GET, /api/workflows/w/lock",
        "GET, /clusters/c1",
        "POST, /pipelines/run/export",
        "POST, /api/v1/events/e1/ingest",
        "POST, /api/webhooks/t1"
    })
    void whatNeedsRunsIsAnsweredWithTheReason(String method, String path) {
        HttpResponse<String> answer = method.equals("GET")
                ? server.get(path, admin)
                : server.post(path, admin, new JsonObject(), "Idempotency-Key", "e1");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(501);
        assertThat(answer.body()).contains("keeps leases only", "sqlite");
    }

    @Test
    void theDocumentSaysWhatIsServedWithoutRuns() {
        JsonObject paths = ok(server.get("/api/v1/openapi.json", admin)).getJsonObject("paths");
        paths.forEach(path -> ((JsonObject) path.getValue()).forEach(method -> {
            JsonObject operation = (JsonObject) method.getValue();
            boolean served = operation.getBoolean("x-leases", false);
            assertThat(operation.getJsonObject("responses").containsKey("501"))
                    .as(operation.getString("operationId"))
                    .isNotEqualTo(served);
            if (method.getKey().equals("get")) {
                String at = "/api/v1" + path.getKey().replaceAll("\\{.*?}", "01a1e15d-4a56-76ac-beec-8c6154326689");
                String asked = at
                        + Map.of(
                                        "resources",
                                        "?key=k",
                                        "line",
                                        "?key=k",
                                        "holds",
                                        "?key=k",
                                        "validate",
                                        "?key=k&token=1",
                                        "search",
                                        "?q=k")
                                .getOrDefault(at.substring(at.lastIndexOf('/') + 1), "");
                assertThat(server.get(asked, admin).statusCode() == 501)
                        .as(asked)
                        .isNotEqualTo(served);
            }
        }));
    }

    @Test
    void startsAndPausesAreRefusedInTheWordsOfTheContract() {
        HttpResponse<String> start = server.post(
                "/api/v1/runs", admin, new JsonObject().put("key", "k").put("job", "export"));
        assertThat(start.statusCode()).isEqualTo(501);
        assertThat(RealServer.json(start).getString("code")).isEqualTo("needs-run-store");
        HttpResponse<String> pause = server.post(
                "/api/v1/locks/pause", admin, new JsonObject().put("key", "k").put("reason", "no"));
        assertThat(pause.statusCode()).isEqualTo(501);
        HttpResponse<String> key = server.post("/api/v1/keys", admin, new JsonObject().put("role", "read"));
        assertThat(key.statusCode()).as("a key that no other node would know").isEqualTo(501);
    }

    @Test
    void aServerWithoutRunsIsWellAndSaysWhatItIs() {
        assertThat(server.status("/health/ready")).isEqualTo(200);
        assertThat(server.get("/metrics", admin).body()).contains("interlock_store_operation");
        assertThat(server.out()).contains("this store keeps leases only");
        assertThat(server.err()).doesNotContain("WARN", "ERROR", "Exception");
        assertThat(ok(server.get("/api/v1/keys", admin, "X-Tenant", "acme"))
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("label"))
                .isEqualTo("configured");
    }

    @Test
    void whatWouldWaitInVainIsRefusedAtTheStart() throws IOException {
        String said = refused(store, """
                jobs:
                  nightly: { run: { worker: remote }, schedule: "0 3 * * *" }
                notify:
                  - { on: [lease-lost], command: ["true"] }
                """);
        assertThat(said).contains("jobs.nightly.schedule needs runs", "notify[0].on needs runs", "sqlite:PATH");
        Path secret = Files.writeString(folder.resolve("other.key"), WORKER);
        assertThat(refused("memory:", "keys:\n  - { role: admin, secret-file: \"" + secret + "\" }\n"))
                .contains("keys[0].secret-file is for stores that keep no API keys", "interlock keys create")
                .doesNotContain(WORKER);
        Files.writeString(secret, "ilk_of_my_own");
        assertThat(refused(store, "keys:\n  - { role: admin, secret-file: \"" + secret + "\" }\n"))
                .contains("other.key", "holds no API key")
                .doesNotContain("ilk_of_my_own");
    }

    private static String refused(String where, String configuration) throws IOException {
        try (RealServer none = RealServer.launch(
                folder, Map.of("INTERLOCK_STORE", where), "server", "--config", file(configuration))) {
            assertThat(none.exitCode()).as(none.err()).isEqualTo(78);
            return none.err();
        }
    }

    private static String file(String below) throws IOException {
        Path file = Files.createTempFile(folder, "interlock", ".yaml");
        return Files.writeString(file, "interlock:\n" + below.indent(2)).toString();
    }

    private static HttpResponse<String> acquire(String key, String lease, String holder) {
        return server.post("/api/v1/locks/acquire", WORKER, request(key, lease, holder));
    }

    private static JsonObject request(String key, String lease, String holder) {
        return new JsonObject()
                .put("key", key)
                .put("leaseId", lease)
                .put("ttl", "30s")
                .put("holder", holder);
    }

    private static JsonObject ok(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return RealServer.json(answer);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
