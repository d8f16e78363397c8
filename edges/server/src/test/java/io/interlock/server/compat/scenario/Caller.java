package io.interlock.server.compat.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.api.ContractCheck;
import io.interlock.server.launch.RealServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A tenant of its own that asks both servers by turns, and whose answers are held against the compatible API's document. */
final class Caller {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Instances instances;
    private final ContractCheck contract;
    private final String tenant;
    private final AtomicInteger turn = new AtomicInteger();

    private Caller(Instances instances, ContractCheck contract, String tenant) {
        this.instances = instances;
        this.contract = contract;
        this.tenant = tenant;
    }

    /** A caller of the compatible API whose document is called {@code document}. */
    static Caller of(Instances instances, String document) {
        return new Caller(instances, new ContractCheck(document), "t" + UUID.randomUUID());
    }

    /** A caller of another tenant at the same compatible API. */
    Caller ofAnotherTenant() {
        return new Caller(instances, contract, "t" + UUID.randomUUID());
    }

    String tenant() {
        return tenant;
    }

    Answer get(String path) {
        return ask(next(), "GET", path, "").join();
    }

    Answer delete(String path) {
        return ask(next(), "DELETE", path, "").join();
    }

    Answer post(String path, String body) {
        return ask(next(), "POST", path, body).join();
    }

    Answer postTo(RealServer server, String path, String body) {
        return ask(server, "POST", path, body).join();
    }

    /** Asks so often at once, half of the time each server. */
    List<Answer> postAtOnce(int times, String path, String body) {
        List<CompletableFuture<Answer>> asked = IntStream.range(0, times)
                .mapToObj(n -> ask(next(), "POST", path, body))
                .toList();
        return asked.stream().map(CompletableFuture::join).toList();
    }

    /** Works on the next run of {@code job}, which must come soon. */
    Work take(String job) {
        return takeAt(next(), job);
    }

    /** Works on the next run of {@code job}, taken from {@code server}. */
    Work takeAt(RealServer server, String job) {
        JsonArray items = claim(server, job, "20s").join();
        assertThat(items).as("work of " + job).hasSize(1);
        return new Work(this, items.getJsonObject(0));
    }

    /** Looks for work at both servers at the same moment; what each of them gave. */
    List<Work> takeAtBoth(String job) {
        List<CompletableFuture<JsonArray>> asked = instances.both().stream()
                .map(server -> claim(server, job, "0s"))
                .toList();
        return asked.stream()
                .flatMap(answer -> answer.join().stream())
                .map(item -> new Work(this, (JsonObject) item))
                .toList();
    }

    /** The lines about {@code key} of this tenant that the two servers have logged. */
    List<String> log(String key) {
        return instances.both().stream()
                .flatMap(server -> server.err().lines())
                .filter(line -> line.contains("tenant=\"" + tenant + "\"") && line.contains("key=\"" + key + "\""))
                .toList();
    }

    JsonArray runs(String key) {
        return get("/api/v1/runs?key=" + key).is(200).json().getJsonArray("items");
    }

    private CompletableFuture<JsonArray> claim(RealServer server, String job, String wait) {
        JsonObject body = new JsonObject()
                .put("claimId", UUID.randomUUID().toString())
                .put("worker", "a worker")
                .put("jobs", new JsonArray().add(job))
                .put("max", 1)
                .put("wait", wait);
        return ask(server, "POST", "/api/v1/claims", body.encode())
                .thenApply(answer -> answer.is(200).json().getJsonArray("items"));
    }

    private RealServer next() {
        List<RealServer> both = instances.both();
        return both.get(turn.getAndIncrement() % both.size());
    }

    private CompletableFuture<Answer> ask(RealServer server, String method, String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .timeout(Duration.ofSeconds(40))
                .header("x-api-key", instances.key())
                .header("X-Tenant", tenant)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return HTTP.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(response -> {
            contract.check(response);
            return new Answer(response.statusCode(), response);
        });
    }
}
