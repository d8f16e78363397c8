package io.interlock.example.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server process with the configuration of this example, optionally with a worker process. */
final class Node implements AutoCloseable {

    private final Process process;
    private final Path out;

    private Node(Process process, Path out) {
        this.process = process;
        this.out = out;
    }

    /** Starts a server; wait until it is {@link #ready}. */
    static Node start(Path folder, Map<String, String> variables, String... further) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "server",
                "--config",
                "interlock.yaml",
                "--port",
                "0"));
        command.addAll(List.of(further));
        try {
            Path out = Files.createTempFile(folder, "node", ".out");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_"));
            builder.environment().putAll(variables);
            return new Node(builder.start(), out);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Node ready() {
        await().atMost(Duration.ofSeconds(60)).until(() -> said().contains("Ready") || !process.isAlive());
        assertThat(process.isAlive()).as("it said: %s", said()).isTrue();
        return this;
    }

    String url() {
        return found("API +(http://\\S+:\\d+)/api/v1/").orElseThrow();
    }

    /** The key it printed; none if the store already has keys. */
    Optional<String> apiKey() {
        return found("API key +(ilk_\\S+)");
    }

    /** Kills it (SIGKILL). */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    private Optional<String> found(String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(said());
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }

    private String said() {
        try {
            return Files.readString(out);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
