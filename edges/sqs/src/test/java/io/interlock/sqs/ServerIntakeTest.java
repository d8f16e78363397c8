package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.Main;
import io.interlock.sqs.LocalSqs.Pair;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server process with the intake on its class path. */
@Timeout(60)
class ServerIntakeTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private final Pair queues = LocalSqs.shared().queues();

    @TempDir
    Path folder;

    private Process server;

    @BeforeEach
    void start() throws IOException {
        Path configuration = Files.writeString(folder.resolve("interlock.yaml"), """
            interlock:
              store: "sqlite:%s"
              jobs:
                DESTROY: { run: { command: ["true"] } }
              sqs:
                - { queue: "%s", endpoint: "%s", wait: 1s }
            """.formatted(
                folder.resolve("interlock.db"), queues.url(), LocalSqs.shared().endpoint()));
        server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Daws.accessKeyId=test",
                        "-Daws.secretAccessKey=nothing",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName(),
                        "server",
                        "--port",
                        "0",
                        "--config",
                        configuration.toString())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        await().atMost(Duration.ofSeconds(40)).until(() -> out().contains("Ready"));
    }

    @AfterEach
    void end() {
        server.destroyForcibly().onExit().join();
    }

    @Test
    void aMessageBecomesARunOfTheServerAndTheServerEndsInOrder() throws Exception {
        queues.send("cluster/7", "{\"job\": \"DESTROY\"}");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> get("/api/v1/runs?key=cluster/7").contains("SUCCEEDED"));
        await().until(() -> queues.size() == 0);
        assertThat(get("/metrics")).containsPattern("interlock_sqs_up\\{queue=\"jobs-\\d+.fifo\",?\\} 1");
        assertThat(series(get("/metrics")))
                .as("the series on the metrics page")
                .isNotEmpty()
                .isEqualTo(series(Files.readString(Path.of("../../docs/metrics.md"))));
        server.destroy();
        assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).isZero();
    }

    private static Set<String> series(String text) {
        return Pattern.compile("\\binterlock_sqs_[a-z_]+")
                .matcher(text)
                .results()
                .map(found -> found.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String get(String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create(found("API +(http://\\S+)/api/v1/") + path))
                                .header("x-api-key", found("API key +(ilk_\\S+)"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    private String found(String pattern) throws IOException {
        Matcher matcher = Pattern.compile(pattern).matcher(out());
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    private String out() throws IOException {
        return Files.readString(folder.resolve("out"));
    }
}
