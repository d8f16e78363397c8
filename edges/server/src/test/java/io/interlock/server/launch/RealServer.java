package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.Main;
import io.interlock.servers.ChildJvm;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server as a process of its own, as the launcher starts it. */
public final class RealServer implements AutoCloseable {

    private static final Pattern API = Pattern.compile("API +(https?://\\S+:\\d+)/api/v1/");
    private static final Pattern KEY = Pattern.compile("API key +(ilk_\\S+)");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static final List<String> JAVA = ChildJvm.forServers();

    private final Process process;
    private final Path out;
    private final Path err;

    private RealServer(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts one, with a home of its own below {@code folder}; it may not be ready yet, or never become so. */
    public static RealServer launch(Path folder, Map<String, String> variables, String... arguments) {
        List<String> command = new ArrayList<>(JAVA);
        command.addAll(List.of("-Xms32m", "-Djava.io.tmpdir=" + folder, Main.class.getName()));
        command.addAll(List.of(arguments));
        try {
            Path out = Files.createTempFile(folder, "server", ".out");
            Path err = Files.createTempFile(folder, "server", ".err");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_"));
            builder.environment().put("XDG_DATA_HOME", folder.resolve("data").toString());
            builder.environment().putAll(variables);
            return new RealServer(builder.start(), out, err);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Starts one on a free port, and waits until it is ready. */
    public static RealServer start(Path folder, Map<String, String> variables, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        if (!all.contains("--port")) {
            all.addAll(List.of("--port", "0"));
        }
        RealServer server = launch(folder, variables, all.toArray(String[]::new));
        return server.ready();
    }

    /** Starts one with the properties {@code below} {@code interlock:}, on a file of its own, and waits until it is ready. */
    static RealServer configured(Path folder, String below) {
        try {
            Path file = Files.createTempFile(folder, "interlock", ".yaml");
            Files.writeString(file, "interlock:\n" + below.indent(2));
            String store = "sqlite:" + folder.resolve("il.db");
            return start(folder, Map.of(), "server", "--config", file.toString(), "--store", store);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    RealServer ready() {
        await().atMost(Duration.ofSeconds(60)).until(() -> out().contains("Ready") || !process.isAlive());
        assertThat(process.isAlive()).as("it runs; it said: %s", err()).isTrue();
        return this;
    }

    public String out() {
        return read(out);
    }

    public String err() {
        return read(err);
    }

    long pid() {
        return process.pid();
    }

    /** The key it printed, if it printed one. */
    public Optional<String> key() {
        Matcher matcher = KEY.matcher(out());
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    public String url() {
        Matcher matcher = API.matcher(out());
        assertThat(matcher.find()).as("a link in: %s", out()).isTrue();
        return matcher.group(1);
    }

    public HttpResponse<String> get(String path, String key, String... headers) {
        return sendAsync(request(path, key, headers).GET()).join();
    }

    public HttpResponse<String> post(String path, String key, JsonObject body, String... headers) {
        HttpRequest.Builder request = request(path, key, headers).header("Content-Type", "application/json");
        return sendAsync(request.POST(BodyPublishers.ofString(body.encode()))).join();
    }

    CompletableFuture<HttpResponse<String>> postAsync(String path, String key, JsonObject body) {
        return sendAsync(
                request(path, key, "Content-Type", "application/json").POST(BodyPublishers.ofString(body.encode())));
    }

    int status(String path) {
        return sendAsync(HttpRequest.newBuilder(URI.create(url() + path)).timeout(Duration.ofSeconds(30)))
                .join()
                .statusCode();
    }

    /** Sends a signal. */
    public void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until it has ended; its exit code. */
    public int exitCode() {
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("it ends; it said: %s", err())
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }

    /** Kills it without a word. */
    void kill() {
        process.destroyForcibly();
        exitCode();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    static JsonObject json(HttpResponse<String> response) {
        return new JsonObject(response.body());
    }

    private HttpRequest.Builder request(String path, String key, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url() + path))
                .timeout(Duration.ofSeconds(60))
                .header("x-api-key", key);
        return headers.length == 0 ? request : request.headers(headers);
    }

    private static CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
        return HTTP.sendAsync(request.build(), BodyHandlers.ofString());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
