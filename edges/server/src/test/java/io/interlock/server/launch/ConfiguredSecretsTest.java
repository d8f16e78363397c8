package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets of a configuration come out nowhere: not in what a server prints, logs, answers or keeps, nor when it cannot start. */
class ConfiguredSecretsTest {

    private static final String HOOK = "Y2FuYXJ5LWhvb2stc2VjcmV0LTMyLWJ5dGVzLWxvbmc=";
    private static final String TRIGGER = "Y2FuYXJ5LXRyaWdnZXItc2VjcmV0LTMyLWJ5dGVzIQ==";
    private static final String PASSWORD = "canarypassword";

    @TempDir
    Path folder;

    @Test
    void whatIsConfiguredSecretlyIsUsedAndNotTold() throws IOException {
        Path hook = Files.writeString(folder.resolve("hook.secret"), "whsec_" + HOOK);
        Path trigger = Files.writeString(folder.resolve("trigger.secret"), "whsec_" + TRIGGER);
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"), """
                interlock:
                  store: "sqlite:%s"
                  private-networks: ["127.0.0.1/32"]
                  jobs:
                    broken: { run: { command: ["false"] }, retry: { attempts: 2, backoff: 1s } }
                    wf: { api: workflows, run: { worker: remote } }
                  webhooks:
                    - { trigger: wf, tenant: default, secret-file: "%s" }
                  notify:
                    - { on: [dead-letter], url: "http://127.0.0.1:1/hooks/%s", secret-file: "%s" }
                """.formatted(folder.resolve("canary.db"), trigger, PASSWORD, hook));
        StringBuilder told = new StringBuilder();
        try (RealServer server = RealServer.start(folder, Map.of(), "server", "--config", file.toString())) {
            String key = server.key().orElseThrow();
            assertThat(server.post(
                                    "/api/v1/runs",
                                    key,
                                    new JsonObject().put("key", "canary/run").put("job", "broken"))
                            .statusCode())
                    .isEqualTo(201);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> server.get("/api/v1/runs", key).body().contains("\"state\":\"DEAD\""));
            for (String path :
                    List.of("/api/v1/config", "/api/v1/jobs", "/api/v1/audit", "/metrics", "/health/ready")) {
                told.append(server.get(path, key).body());
            }
            server.signal("TERM");
            assertThat(server.exitCode()).isZero();
            told.append(server.out()).append(server.err());
        }
        assertThat(told.toString()).contains("notify", "127.0.0.1");
        try (Stream<Path> files = Files.list(folder)) {
            for (Path kept : files.filter(each -> each.getFileName().toString().startsWith("canary.db"))
                    .toList()) {
                told.append(new String(Files.readAllBytes(kept), StandardCharsets.ISO_8859_1));
            }
        }
        for (String secret : List.of(HOOK, TRIGGER, PASSWORD)) {
            assertThat(told.toString().contains(secret)).as(secret).isFalse();
        }
    }

    @Test
    void aStoreThatDoesNotAnswerIsNamedWithoutItsPassword() {
        try (RealServer server = RealServer.launch(
                folder, Map.of(), "server", "--store", "postgresql://ann:" + PASSWORD + "@127.0.0.1:1/interlock")) {
            assertThat(server.exitCode()).isEqualTo(69);
            assertThat(server.err()).contains("127.0.0.1:1");
            assertThat(server.out() + server.err()).doesNotContain(PASSWORD);
        }
    }
}
