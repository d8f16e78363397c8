package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.servers.PostgresServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers on a real PostgreSQL: two of them, and one whose database goes away. */
class OutageTest {

    private static final int STARTS = 50;

    private static final PostgresServer postgres = PostgresServer.start(PostgresServer.DURABLE);

    @TempDir
    Path folder;

    @AfterAll
    static void end() {
        postgres.close();
    }

    @Test
    void twoServersOnOneDatabaseStartOneRunOfAKey() throws IOException {
        String[] arguments = serving("two");
        try (RealServer one = RealServer.start(folder, Map.of(), arguments);
                RealServer other = RealServer.start(folder, Map.of(), arguments)) {
            String key = one.key().orElseThrow();
            List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
            for (int i = 0; i < STARTS; i++) {
                asked.add((i % 2 == 0 ? one : other).postAsync("/api/v1/runs", key, start("ledger/1", "JOIN")));
            }
            List<HttpResponse<String>> answers =
                    asked.stream().map(CompletableFuture::join).toList();
            assertThat(answers).filteredOn(answer -> answer.statusCode() == 201).hasSize(1);
            assertThat(answers).filteredOn(answer -> answer.statusCode() == 200).hasSize(STARTS - 1);
            Set<String> runs = answers.stream()
                    .map(answer -> RealServer.json(answer).getString("id"))
                    .collect(Collectors.toSet());
            assertThat(runs).hasSize(1);
            assertThat(RealServer.json(other.get("/api/v1/runs?key=ledger/1", key))
                            .getJsonArray("items"))
                    .hasSize(1);
        }
    }

    @Test
    void aDatabaseThatGoesAwayMeansOnly503AndServiceResumesByItself() throws IOException {
        try (RealServer server = RealServer.start(folder, Map.of(), serving("away"))) {
            String key = server.key().orElseThrow();
            assertThat(server.post("/api/v1/runs", key, start("before", "REJECT"))
                            .statusCode())
                    .isEqualTo(201);
            postgres.stop();
            for (int round = 0; round < 3; round++) {
                List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    asked.add(server.postAsync("/api/v1/runs", key, start("during/" + i, "REJECT")));
                }
                for (CompletableFuture<HttpResponse<String>> one : asked) {
                    HttpResponse<String> answer = one.join();
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
                    assertThat(RealServer.json(answer).getString("code")).isEqualTo("store-unavailable");
                    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
                }
            }
            assertThat(server.status("/health/ready")).isEqualTo(503);
            assertThat(server.status("/health/live")).isEqualTo(200);

            postgres.startAgain();
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(server.status("/health/ready")).isEqualTo(200));
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(server.post("/api/v1/runs", key, start("after", "JOIN"))
                                    .statusCode())
                            .isIn(200, 201));
            assertThat(RealServer.json(server.get("/api/v1/runs", key)).getJsonArray("items").stream()
                            .map(run -> ((JsonObject) run).getString("key")))
                    .as("nothing was started meanwhile")
                    .containsExactlyInAnyOrder("before", "after");
        }
    }

    private String[] serving(String schema) throws IOException {
        postgres.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"), "interlock:\n  jobs:\n    wait: { run: { worker: remote } }\n");
        return new String[] {
            "server", "--config", file.toString(), "--store", postgres.url("timeout=1s&schema=" + schema)
        };
    }

    private static JsonObject start(String key, String policy) {
        return new JsonObject().put("key", key).put("job", "wait").put("onConflict", policy);
    }
}
