package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the operators of a real server see of what its clients do: its metrics and its log. */
class WatchedServerTest {

    @TempDir
    static Path folder;

    private static RealServer server;
    private static String key;

    @BeforeAll
    static void start() {
        server = RealServer.configured(folder, """
                jobs:
                  quick: { run: { command: ["sh", "-c", "echo '::interlock stage=load'"] } }
                  endless: { max-runtime: 1s, run: { command: ["sleep", "600"] } }
                  elsewhere: { on-conflict: join, run: { worker: remote } }
                """);
        key = server.key().orElseThrow();
        ended(started("watched/quick", "quick", "REJECT"), "SUCCEEDED");
        ended(started("watched/endless", "endless", "REJECT"), "TIMED_OUT");
        started("watched/held", "elsewhere", "JOIN");
        assertThat(start("watched/held", "elsewhere", "JOIN").getBoolean("deduplicated"))
                .isTrue();
        assertThat(start("watched/held", "elsewhere", "SKIP").getString("state"))
                .isEqualTo("SKIPPED");
        assertThat(start("watched/held", "elsewhere", "REJECT").getString("code"))
                .isEqualTo("lock-held");
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Test
    void theMetricsTellWhatCameOfEveryStart() {
        await().untilAsserted(() -> assertThat(server.get("/metrics", key).body())
                .contains(
                        "interlock_acquisitions_total{job=\"quick\",outcome=\"started\",reason=\"none\"} 1.0",
                        "interlock_acquisitions_total{job=\"elsewhere\",outcome=\"joined\",reason=\"none\"} 1.0",
                        "interlock_acquisitions_total{job=\"elsewhere\",outcome=\"skipped\"",
                        "interlock_acquisitions_total{job=\"elsewhere\",outcome=\"rejected\"",
                        "interlock_hold_seconds_count{job=\"quick\"",
                        "interlock_wait_seconds_count{job=\"quick\"",
                        "interlock_run_seconds_count{job=\"endless\"",
                        "interlock_timeouts_total{job=\"endless\"",
                        "interlock_active_oldest_age_seconds{job=",
                        "interlock_job_max_runtime_seconds{job=\"endless\"} 1.0"));
    }

    @Test
    void everyStepIsALineOfTheLog() {
        await().untilAsserted(() -> assertThat(server.err().lines())
                .anyMatch(line -> tells(line, "started", "watched/quick", "token="))
                .anyMatch(line -> tells(line, "attempt ended", "watched/quick", "held=\"PT", "state=\"SUCCEEDED\""))
                .anyMatch(line -> tells(line, "attempt ended", "watched/endless", "state=\"TIMED_OUT\""))
                .anyMatch(line -> tells(line, "joined", "watched/held", "run="))
                .anyMatch(line -> tells(line, "skipped", "watched/held", "why="))
                .anyMatch(line -> tells(line, "refused", "watched/held", "why=")));
    }

    private static boolean tells(String line, String what, String name, String... more) {
        return line.contains(" " + what + " ")
                && line.contains("key=\"" + name + "\"")
                && line.contains("tenant=\"default\"")
                && Arrays.stream(more).allMatch(line::contains);
    }

    private static JsonObject start(String name, String job, String policy) {
        JsonObject body = new JsonObject().put("key", name).put("job", job).put("onConflict", policy);
        return RealServer.json(server.post("/api/v1/runs", key, body));
    }

    private static String started(String name, String job, String policy) {
        return start(name, job, policy).getString("id");
    }

    private static void ended(String run, String outcome) {
        JsonObject shown = RealServer.json(server.get("/api/v1/runs/" + run, key, "Prefer", "wait=20"));
        assertThat(shown.getString("outcome")).isEqualTo(outcome);
    }
}
