package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server process: what it prints, what it takes, and how it refuses to start. */
class StartTest {

    @TempDir
    Path folder;

    @Test
    void theFirstStartMakesAKeyThatIsAdminEverywhereAndLaterOnesDoNot() {
        String key;
        try (RealServer first = RealServer.start(folder, Map.of(), "server")) {
            key = first.key().orElseThrow();
            assertThat(first.get("/api/v1/keys", key).statusCode()).isEqualTo(200);
            assertThat(first.get("/api/v1/runs", key, "X-Tenant", "acme").statusCode())
                    .isEqualTo(200);
            assertThat(first.status("/api/v1/runs")).isEqualTo(401);
            assertThat(first.status("/health/ready")).isEqualTo(200);
            assertThat(first.out()).contains("sqlite:" + folder.resolve("data/interlock/interlock.db"));
            assertThat(first.err()).doesNotContain(key);
            first.signal("TERM");
            assertThat(first.exitCode()).isZero();
        }
        try (RealServer second = RealServer.start(folder, Map.of(), "server")) {
            assertThat(second.key()).isEmpty();
            assertThat(second.get("/api/v1/keys", key).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void flagsGoBeforeVariablesAndTheseBeforeTheFile() throws IOException {
        Path file = Files.writeString(folder.resolve("interlock.yaml"), """
                interlock:
                  store: "memory:"
                  worker: { slots: 3 }
                  limits: { streams: 4 }
                  jobs:
                    export: { api: pipelines, run: { worker: remote } }
                """);
        try (RealServer server = RealServer.start(
                folder,
                Map.of("INTERLOCK_WORKER_SLOTS", "5", "INTERLOCK_LIMITS_STREAMS", "6"),
                "server",
                "--config",
                file.toString(),
                "--slots=7")) {
            String key = server.key().orElseThrow();
            List<Object> items = RealServer.json(server.get("/api/v1/config", key)).getJsonArray("items").stream()
                    .map(item -> ((JsonObject) item).getMap())
                    .collect(Collectors.toList());
            assertThat(items)
                    .contains(
                            Map.of("name", "interlock.worker.slots", "value", "7", "origin", "flag --slots"),
                            Map.of(
                                    "name",
                                    "interlock.limits.streams",
                                    "value",
                                    "6",
                                    "origin",
                                    "environment INTERLOCK_LIMITS_STREAMS"),
                            Map.of("name", "interlock.store", "value", "memory:", "origin", "interlock.yaml:2"),
                            Map.of("name", "interlock.limits.depth", "value", "20", "origin", "default"));
            assertThat(server.out()).contains("interlock.worker.slots", "flag --slots");
            JsonObject job = RealServer.json(server.get("/api/v1/jobs", key))
                    .getJsonArray("items")
                    .getJsonObject(0);
            assertThat(job.getString("api")).isEqualTo("pipelines");
            assertThat(job.getString("onConflict")).isEqualTo("JOIN");
        }
    }

    @Test
    void aWrongCommandLineEndsWith64() {
        refused(64, "there is no option --prot", Map.of(), "server", "--prot", "1");
        refused(64, "--port needs a value", Map.of(), "server", "--port");
        refused(64, "it must be server or demo", Map.of(), "serve");
    }

    @Test
    void aWrongConfigurationEndsWith78AndTellsAllOfIt() throws IOException {
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"), "interlock:\n  prot: 1\n  jobs:\n    a: { lease: 1s }\n");
        String said =
                refused(78, "has 4 mistakes", Map.of("INTERLOCK_PORT", "x"), "server", "--config", file.toString());
        assertThat(said)
                .contains("environment INTERLOCK_PORT: port 'x' is no whole number")
                .contains("interlock.yaml:2: prot is no property; nearest is port")
                .contains("interlock.yaml:4: jobs.a.lease '1s' is below the shortest lease of 2s")
                .contains("interlock.yaml:4: jobs.a.run does not say how the work is done");
        refused(78, "keeps leases only", Map.of(), "demo", "--store", "redis://:canary@localhost");
        Files.writeString(file, "interlock:\n  jobs:\n    a: { run: { worker: remote }, lease: 6m }\n");
        refused(
                78,
                "is above the store's maxLease of 5m",
                Map.of(),
                "server",
                "--store",
                "memory:",
                "--config",
                file.toString());
    }

    @Test
    void aStoreThatIsNotThereEndsWith69WithoutItsPassword() {
        String said =
                refused(69, "cannot be reached", Map.of(), "server", "--store", "postgresql://me:canary@127.0.0.1:1/x");
        assertThat(said).contains("--store URL").doesNotContain("canary");
    }

    @Test
    void aPortThatIsTakenEndsWith69() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            refused(69, "cannot listen at 127.0.0.1:" + port, Map.of(), "server", "--port", port);
        }
        try (RealServer next = RealServer.start(folder, Map.of(), "server")) {
            assertThat(next.key()).as("the start that failed has made no key").isPresent();
        }
    }

    @Test
    void withoutKeysItListensNowhereElse() {
        String said = refused(78, "there is no API key yet", Map.of(), "server", "--port", "0", "--host", "0.0.0.0");
        assertThat(said).contains("interlock keys create");
        try (RealServer first = RealServer.start(folder, Map.of(), "server")) {
            assertThat(first.key()).isPresent();
        }
        refused(78, "would travel unencrypted", Map.of(), "server", "--port", "0", "--host", "0.0.0.0");
        try (RealServer open = RealServer.start(folder, Map.of(), "server", "--host", "0.0.0.0", "--behind-proxy")) {
            assertThat(open.key()).isEmpty();
        }
    }

    @Test
    void healthAndMetricsMayHaveAPortOfTheirOwn() {
        try (RealServer server = RealServer.start(
                folder, Map.of(), "server", "--store", "memory:", "--management-port", "0", "--no-worker")) {
            assertThat(server.status("/health/ready")).isEqualTo(404);
            assertThat(server.out()).contains("Worker     none here");
        }
    }

    private String refused(int exitCode, String cause, Map<String, String> variables, String... arguments) {
        try (RealServer server = RealServer.launch(folder, variables, arguments)) {
            assertThat(server.exitCode()).as(server.err()).isEqualTo(exitCode);
            assertThat(server.err()).contains("interlock: ").contains(cause).doesNotContain("\tat ");
            return server.err();
        }
    }
}
