package io.interlock.example.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** A server without a worker, any number of workers, and the cloud they work on. */
final class Site implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(40);

    private final Path folder;
    private final Map<String, String> variables;
    private final Node server;
    private final String apiKey;
    private final Deque<Node> workers = new ArrayDeque<>();
    private final HttpClient http = HttpClient.newHttpClient();

    Site(Path folder, String store) {
        this.folder = folder;
        // Seconds instead of minutes; all other settings come from the file.
        variables =
                new HashMap<>(Map.of("INTERLOCK_STORE", store, "CLUSTERS", folder.toString(), "CLUSTERS_STEP", "0.05"));
        for (String job : List.of("CREATE", "DESTROY", "SCALE_WORKERS", "JANITOR_DESTROY")) {
            variables.put("INTERLOCK_JOBS_" + job + "_LEASE", "2s");
            variables.put("INTERLOCK_JOBS_" + job + "_EXPIRY_GRACE", "500ms");
            variables.put("INTERLOCK_JOBS_" + job + "_RETRY_BACKOFF", "200ms");
        }
        variables.put("INTERLOCK_JOBS_DESTROY_RETRY_ATTEMPTS", "1");
        variables.put("INTERLOCK_JANITOR_INTERVAL", "500ms");
        server = Node.start(folder, variables, "--no-worker");
        Node worker = startWorker().ready();
        // The first server on the store has printed the key.
        apiKey = server.ready().apiKey().or(worker::apiKey).orElseThrow();
    }

    Node startWorker() {
        Node worker = Node.start(folder, variables);
        workers.push(worker);
        return worker;
    }

    Node worker() {
        return workers.getFirst();
    }

    JsonObject create(String name, String... ttl) {
        JsonObject body =
                new JsonObject().put("name", name).put("platform", "aws").put("base_domain", "example.com");
        if (ttl.length > 0) {
            body.put("ttl", ttl[0]);
        }
        HttpResponse<String> answer = post("/clusters", body).join();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        return new JsonObject(answer.body());
    }

    CompletableFuture<HttpResponse<String>> start(String cluster, String type, JsonObject parameters) {
        return post(
                "/clusters/" + cluster + "/jobs",
                new JsonObject().put("type", type).put("parameters", parameters));
    }

    /** Starts a job that must be accepted. */
    String job(String cluster, String type, JsonObject parameters) {
        HttpResponse<String> answer = start(cluster, type, parameters).join();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return new JsonObject(answer.body()).getString("job_id");
    }

    String status(String cluster) {
        return get("/clusters/" + cluster).getString("status");
    }

    void awaitStatus(String cluster, String status) {
        await("cluster " + status).atMost(LONG).until(() -> status(cluster).equals(status));
    }

    JsonObject awaitEnd(String job) {
        await("end of job").atMost(LONG).until(() -> get("/jobs/" + job).getValue("ended_at") != null);
        return get("/jobs/" + job);
    }

    JsonObject get(String path) {
        HttpResponse<String> answer = http.sendAsync(request(path).GET().build(), BodyHandlers.ofString())
                .join();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new JsonObject(answer.body());
    }

    CompletableFuture<HttpResponse<String>> post(String path, JsonObject body) {
        return http.sendAsync(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body.encode()))
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path)).header("x-api-key", apiKey);
    }

    /** Waits until the installer works on a cluster and has made progress. */
    void awaitInstaller(String cluster, String piece) {
        await("installer").atMost(LONG).until(() -> pieces(cluster).contains(piece));
    }

    /** Waits until no installer works on a cluster. */
    void awaitNoInstaller(String cluster) {
        Path user = folder.resolve("install").resolve(cluster).resolve("in-use/pid");
        await("no installer").atMost(LONG).until(() -> {
            try {
                return !ProcessHandle.of(Long.parseLong(Files.readString(user).strip()))
                        .map(ProcessHandle::isAlive)
                        .orElse(false);
            } catch (IOException gone) {
                return true;
            }
        });
    }

    /** The existing parts of a cluster. */
    List<String> pieces(String cluster) {
        Path cloud = folder.resolve("cloud").resolve(cluster);
        if (!Files.isDirectory(cloud)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(cloud)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException gone) {
            return List.of();
        }
    }

    void weather(String name, String weather) {
        try {
            Files.createDirectories(folder.resolve("weather"));
            Files.writeString(folder.resolve("weather").resolve(name), weather + "\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    String alerts() {
        return read("alerts");
    }

    /** The collisions in install directories. */
    String meetings() {
        return read("install/TWO-AT-ONCE");
    }

    private String read(String name) {
        try {
            Path file = folder.resolve(name);
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        workers.forEach(Node::close);
        server.close();
    }
}
