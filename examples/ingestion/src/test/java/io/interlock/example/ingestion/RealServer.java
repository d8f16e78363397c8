package io.interlock.example.ingestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.Main;
import io.interlock.servers.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server process with the configuration of this example. */
final class RealServer implements AutoCloseable {

    private static final List<String> JAVA = ChildJvm.forServers();

    private final Process process;
    private final Path out;

    private RealServer(Process process, Path out) {
        this.process = process;
        this.out = out;
    }

    /** Starts one with a folder for its files, and waits until it is ready. */
    static RealServer start(Path folder, Map<String, String> variables) throws IOException {
        Path out = Files.createTempFile(folder, "server", ".out");
        ProcessBuilder builder = java(
                        Main.class.getName(),
                        "server",
                        "--config",
                        Path.of("interlock.yaml").toString(),
                        "--port",
                        "0")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().putAll(variables);
        RealServer server = new RealServer(builder.start(), out);
        await().atMost(Duration.ofSeconds(60)).until(() -> server.out().contains("Ready") || !server.isAlive());
        assertThat(server.isAlive()).as(server.out()).isTrue();
        return server;
    }

    /** A program of the class path of this test. */
    static ProcessBuilder java(String main, String... arguments) {
        List<String> command = new ArrayList<>(JAVA);
        command.add(main);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_"));
        return builder;
    }

    URI url() {
        return URI.create(said("API +(http://\\S+:\\d+)/api/v1/"));
    }

    /** The key it printed; none if the store already has keys. */
    String apiKey() {
        return said("API key +(ilk_\\S+)");
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    /** Pauses or continues it. */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** Ends it, and waits for that: its folder is deleted next. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    private String said(String pattern) {
        try {
            Matcher found = Pattern.compile(pattern).matcher(out());
            assertThat(found.find()).as(pattern).isTrue();
            return found.group(1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
