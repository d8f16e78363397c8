package io.interlock.server.launch;

import static io.interlock.server.launch.RealServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.servers.TraceCollector;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server that exports traces by the standard variables, and one that does not. */
class TracedServerTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it.
    Path folder;

    @Test
    void spansOfARunReachACollectorAndItsCommandSeesTheTrace() throws IOException {
        try (TraceCollector collector = TraceCollector.start();
                RealServer server = start(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        collector.url(),
                        "OTEL_BSP_SCHEDULE_DELAY",
                        "100",
                        "INTERLOCK_LOG_FORMAT",
                        "json"))) {
            JsonObject run = run(server);
            assertThat(run.getString("output")).containsPattern("saw 00-" + TRACE + "-[0-9a-f]{16}-01");
            String all = await().atMost(Duration.ofSeconds(30))
                    .until(collector::received, sent -> sent.contains("interlock.finish"));
            assertThat(all)
                    .contains("interlock-server", "interlock.submit", "interlock.wait", "interlock.attempt")
                    .contains(TraceCollector.bytesOf(TRACE))
                    .doesNotContain("T0pS3cret");
            assertThat(server.err().lines())
                    .as("lines of the log name the trace")
                    .anySatisfy(line ->
                            assertThat(line).contains("\"message\":\"attempt ended\"", "\"trace\":\"" + TRACE + "\""));
        }
    }

    @Test
    void withoutTheVariablesNothingOfOpenTelemetryIsLoaded() throws Exception {
        try (RealServer server = start(Map.of())) {
            assertThat(run(server).getString("output"))
                    .as("the trace of the caller is handed on")
                    .contains("saw 00-" + TRACE + "-b7ad6b7169203331-01");
            assertThat(classes(server.pid()))
                    .contains("io.interlock.tracing.TraceExport")
                    .doesNotContain("io.opentelemetry.");
        }
    }

    private static String classes(long pid) throws Exception {
        Process tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(pid),
                        "VM.class_hierarchy")
                .redirectErrorStream(true)
                .start();
        String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tool.waitFor()).as(said).isZero();
        return said;
    }

    private RealServer start(Map<String, String> variables) throws IOException {
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"),
                "interlock: { jobs: { say: { run: { command: [sh, -c, 'echo saw $TRACEPARENT'] } } } }\n");
        String store = "sqlite:" + folder.resolve("il.db");
        return RealServer.start(folder, variables, "server", "--config", file.toString(), "--store", store);
    }

    private static JsonObject run(RealServer server) {
        String key = server.key().orElseThrow();
        JsonObject body = new JsonObject()
                .put("key", "traced")
                .put("job", "say")
                .put("parameters", new JsonObject().put("password", "T0pS3cret"));
        String parent = "00-" + TRACE + "-b7ad6b7169203331-01";
        String id = json(server.post("/api/v1/runs", key, body, "traceparent", parent))
                .getString("id");
        json(server.get("/api/v1/runs/" + id, key, "Prefer", "wait=20"));
        return await().until(
                        () -> json(server.get("/api/v1/runs/" + id + "?output=true", key)),
                        shown -> shown.containsKey("output"));
    }
}
