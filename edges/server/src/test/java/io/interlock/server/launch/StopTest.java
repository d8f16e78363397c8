package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a server ends, and what is left of its work. */
class StopTest {

    @TempDir
    Path folder;

    @Test
    void termLetsWorkEndAndThenEndsWith0() throws IOException {
        Path go = folder.resolve("go");
        try (RealServer server = RealServer.start(folder, Map.of(), serving(untilThereIs(go)))) {
            String key = server.key().orElseThrow();
            String run = started(server, key, "work/1");
            server.signal("TERM");
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(
                            () -> assertThat(server.status("/health/ready")).isEqualTo(503));
            assertThat(server.status("/health/live")).isEqualTo(200);
            Files.createFile(go);
            assertThat(server.exitCode()).isZero();
            assertThat(stateAfterwards(key, run)).isEqualTo("SUCCEEDED");
        }
    }

    @Test
    void aSecondSignalEndsItAtOnceAndNothingIsLeftOfTheCommand() throws IOException {
        Path never = folder.resolve("never");
        try (RealServer server = RealServer.start(folder, Map.of(), serving(untilThereIs(never)))) {
            started(server, server.key().orElseThrow(), "work/1");
            // A run is RUNNING a moment before its command is.
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(processesNaming(never)).isNotEmpty());
            server.signal("TERM");
            await().until(() -> server.err().contains("Once more ends it at once"));
            server.signal("TERM");
            assertThat(server.exitCode()).isEqualTo(128 + 15);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(processesNaming(never)).isEmpty());
        }
    }

    @Test
    void afterKillEveryAcknowledgedRunIsThereAndEnds() throws IOException {
        Path go = folder.resolve("go");
        List<String> runs = new ArrayList<>();
        String key;
        try (RealServer server = RealServer.start(folder, Map.of(), serving(untilThereIs(go)))) {
            key = server.key().orElseThrow();
            for (int i = 0; i < 4; i++) {
                runs.add(started(server, key, "work/" + i));
            }
            for (int i = 0; i < 4; i++) {
                runs.add(RealServer.json(server.post(
                                "/api/v1/runs", key, start("work/" + i).put("onConflict", "QUEUE")))
                        .getString("id"));
            }
            JsonObject caller = RealServer.json(server.post(
                    "/api/v1/runs",
                    key,
                    new JsonObject()
                            .put("key", "caller/1")
                            .put("execution", "caller")
                            .put("lease", "3s")));
            assertThat(caller.getString("state")).isEqualTo("RUNNING");
            runs.add(caller.getString("id"));
            server.kill();
        }
        Files.createFile(go);
        try (RealServer again = RealServer.start(folder, Map.of(), serving(untilThereIs(go)))) {
            for (String run : runs) {
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(run(again, key, run).getString("outcome"))
                                .as("run %s", run)
                                .isNotNull());
            }
            List<String> outcomes = runs.stream()
                    .map(run -> run(again, key, run).getString("outcome"))
                    .toList();
            assertThat(outcomes.subList(0, 8))
                    .as("done, after a second attempt")
                    .containsOnly("SUCCEEDED");
            assertThat(outcomes.get(8)).as("its caller sends no heartbeat").isEqualTo("FAILED");
        }
    }

    private String[] serving(String script) throws IOException {
        Path file = Files.writeString(folder.resolve("interlock.yaml"), """
                interlock:
                  janitor: { interval: 1s }
                  jobs:
                    wait:
                      run: { command: [sh, -c, '%s'] }
                      lease: 3s
                      retry: { attempts: 3, backoff: 100ms }
                """.formatted(script));
        return new String[] {"server", "--config", file.toString()};
    }

    private static String untilThereIs(Path file) {
        return "while [ ! -e " + file + " ]; do sleep 0.1; done";
    }

    private static JsonObject start(String key) {
        return new JsonObject().put("key", key).put("job", "wait");
    }

    private static String started(RealServer server, String key, String name) {
        JsonObject answer = RealServer.json(server.post("/api/v1/runs", key, start(name)));
        String id = answer.getString("id");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(run(server, key, id).getString("state")).isEqualTo("RUNNING"));
        return id;
    }

    private static JsonObject run(RealServer server, String key, String id) {
        return RealServer.json(server.get("/api/v1/runs/" + id, key));
    }

    private String stateAfterwards(String key, String run) {
        try (RealServer again = RealServer.start(folder, Map.of(), "server", "--no-worker")) {
            return run(again, key, run).getString("state");
        }
    }

    private static List<String> processesNaming(Path file) {
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            return all.map(process -> process.info().commandLine().orElse(""))
                    .filter(line -> line.contains(file.toString()))
                    .toList();
        }
    }
}
