package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a newcomer meets it. */
class DemoTest {

    @TempDir
    Path folder;

    @Test
    void withinAMinuteThereIsSomethingToSeeAndAfterwardsNothingIsLeft() throws IOException {
        Path elsewhere = folder.resolve("elsewhere.db");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RealServer demo = RealServer.launch(
                        folder,
                        Map.of("INTERLOCK_STORE", "sqlite:" + elsewhere),
                        "demo",
                        "--port",
                        Integer.toString(taken.getLocalPort()))) {
            demo.ready();
            assertThat(demo.err()).contains("port " + taken.getLocalPort() + " is taken; the demo listens at");
            assertThat(demo.out()).contains("/ui/?code=", "/metrics", "/api/v1/openapi.json");
            String key = demo.key().orElseThrow();
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                JsonObject busy =
                        items(demo, "/api/v1/locks?key=demo/backup", key).getJsonObject(0);
                assertThat(busy.getString("state")).isEqualTo("HELD");
                assertThat(busy.getInteger("waiting")).isPositive();
                assertThat(items(demo, "/api/v1/runs?state=DEAD", key)).isNotEmpty();
                assertThat(items(demo, "/api/v1/audit?key=demo/telemetry", key).encode())
                        .contains("its lease ended before its work did");
                assertThat(items(demo, "/api/v1/runs", key).stream()
                                .map(run -> ((JsonObject) run).getString("job"))
                                .distinct())
                        .hasSizeGreaterThan(4);
            });
            assertThat(items(demo, "/api/v1/jobs", key).stream()
                            .map(job -> ((JsonObject) job).getString("api"))
                            .distinct())
                    .contains("pipelines", "flows", "ingestion", "workflows", "clusters", "none");
            // The demo's own process, and the one that loses its lease, however often it has asked for work.
            assertThat(items(demo, "/api/v1/workers", key)).hasSize(2);
            everyDoorIsOpen(demo, key);
            List<String> commands = demo.out()
                    .lines()
                    .filter(line -> line.startsWith("  curl "))
                    .toList();
            assertThat(commands).hasSize(3);
            assertThat(shell(commands.get(0))).contains("\"state\":\"HELD\"");
            assertThat(shell(commands.get(1))).contains("lock-held", "\"queueLength\"");
            assertThat(shell(commands.get(2))).contains("sync_inventory");
            assertThat(leftovers()).isNotEmpty();

            demo.signal("TERM");
            assertThat(demo.exitCode()).isZero();
            assertThat(leftovers()).isEmpty();
            assertThat(elsewhere).doesNotExist();
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(processes()).isEmpty());
        }
    }

    @Test
    void theFolderOfAKilledDemoGoesWithTheNextOne() {
        try (RealServer killed = RealServer.start(folder, Map.of(), "demo")) {
            killed.kill();
        }
        List<Path> old = leftovers();
        assertThat(old).hasSize(1);
        try (RealServer next = RealServer.start(folder, Map.of(), "demo")) {
            assertThat(leftovers()).hasSize(1).doesNotContainAnyElementsOf(old);
            next.signal("TERM");
            assertThat(next.exitCode()).isZero();
        }
        assertThat(leftovers()).isEmpty();
    }

    /** What the five teams used to call, as they called it. */
    private static void everyDoorIsOpen(RealServer demo, String key) {
        assertThat(call(demo, key, "/pipelines/run/aws_cost_import", null).getString("status"))
                .isIn("PENDING", "RUNNING");
        assertThat(call(demo, key, "/flows/flow-123/resume", new JsonObject().put("phase", "readiness"))
                        .getString("status"))
                .isEqualTo("started");
        assertThat(call(demo, key, "/api/v1/events/spa/ingest", null).getString("status"))
                .isEqualTo("started");
        assertThat(call(demo, key, "/api/webhooks/order_fulfilment", new JsonObject().put("eventId", "evt_1"))
                        .getBoolean("success"))
                .isNotNull();
        JsonObject cluster = call(
                demo,
                key,
                "/clusters",
                new JsonObject()
                        .put("name", "prod1")
                        .put("platform", "aws")
                        .put("base_domain", "example.com")
                        .put("ttl", "1h"));
        assertThat(cluster.getString("status")).as(cluster.encode()).isEqualTo("PENDING");
        String path = "/clusters/" + cluster.getString("id");
        for (String type : List.of("SCALE_WORKERS", "DESTROY", "JANITOR_DESTROY")) {
            JsonObject job = call(demo, key, path + "/jobs", new JsonObject().put("type", type));
            assertThat(job.getString("job_id")).as(type + job.encode()).isNotNull();
        }
    }

    private static JsonObject call(RealServer demo, String key, String path, @Nullable JsonObject body) {
        return RealServer.json(demo.post(path, key, body == null ? new JsonObject() : body));
    }

    private static JsonArray items(RealServer demo, String path, String key) {
        return RealServer.json(demo.get(path, key)).getJsonArray("items");
    }

    private String shell(String command) throws IOException {
        Path output = Files.createTempFile(folder, "curl", ".out");
        Process process = new ProcessBuilder("bash", "-c", command)
                .redirectOutput(output.toFile())
                .redirectErrorStream(true)
                .start();
        assertThat(process.onExit().join().exitValue()).as(command).isZero();
        return Files.readString(output);
    }

    private List<Path> leftovers() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("interlock-demo"))
                    .toList();
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private List<String> processes() {
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            return all.map(process -> process.info().commandLine().orElse(""))
                    .filter(line -> line.contains(folder + "/interlock-demo"))
                    .toList();
        }
    }
}
