package io.interlock.server.api;

import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.config.Readiness;
import io.interlock.engine.FaultyStore;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.InterlockServer;
import io.interlock.server.InterlockServer.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.Operations.Operation;
import io.interlock.server.session.Sessions;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A real server on a free port, with keys of every role, and operations that say what they were called with. */
public final class Rig implements AutoCloseable {

    public static final Limits LIMITS = Limits.DEFAULT;

    /** Why it is not ready, if it is not. */
    public volatile Optional<String> obstacle = Optional.empty();

    private final Environment environment = Environment.system();
    public final FaultyStore store = new FaultyStore(new MemoryStore(environment));
    private final ExecutorService blocking = Executors.newFixedThreadPool(2, environment.threads("test-blocking"));
    public final KeyRing ring = new KeyRing(store.store().accessKeys(), environment, blocking);
    private final Map<String, Operation> special = new ConcurrentHashMap<>();
    private final Map<String, String> keys = new ConcurrentHashMap<>();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    public final InterlockServer server;

    public Rig() {
        this(new Listen("127.0.0.1", 0, null, false, null), LIMITS);
    }

    public Rig(Listen listen, Limits limits) {
        try {
            PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            ServerParts parts = new ServerParts(
                    environment,
                    ring,
                    new Readiness(Runnable::run, () -> obstacle),
                    echo(),
                    meters,
                    new Sessions(store.store().signIns(), ring, environment, blocking),
                    new AccessRecords(Optional.empty(), ring, environment, meters),
                    null);
            server = join(InterlockServer.start(listen, limits, parts));
        } catch (RuntimeException | Error failure) {
            blocking.shutdown();
            throw failure;
        }
    }

    /** Operations that all answer 200 with what they were called with, unless a test says otherwise. */
    private Operations echo() {
        Operations operations = new Operations();
        for (String id : operationIds()) {
            operations.on(id, call -> {
                Operation instead = special.get(id);
                return instead == null ? CompletableFuture.completedFuture(said(id, call)) : instead.answer(call);
            });
        }
        return operations;
    }

    static Set<String> operationIds() {
        Vertx vertx = Vertx.vertx();
        try {
            return join(Api.load(vertx, Api.DOCUMENT).toCompletionStage()).operationIds();
        } finally {
            join(vertx.close().toCompletionStage());
        }
    }

    private static Reply said(String id, Call call) {
        JsonObject json = new JsonObject().put("operation", id).put("body", call.body());
        if (!id.equals("signIn") && !id.equals("signOut") && !id.equals("getContract")) {
            json.put("tenant", call.tenant()).put("actor", call.caller().actor());
        }
        return Reply.ok(json);
    }

    void answer(String operationId, Operation operation) {
        special.put(operationId, operation);
    }

    /** Has an operation fail. */
    public void fail(String operationId, RuntimeException failure) {
        special.put(operationId, call -> CompletableFuture.failedFuture(failure));
    }

    /** The text of a key of that tenant and role, made when it is first asked for. */
    public String key(String tenant, Role role) {
        return keys.computeIfAbsent(
                tenant + role, name -> issue(tenant, role).secret().text());
    }

    public KeyRing.IssuedKey issue(String tenant, Role role) {
        return join(ring.issue(new KeyRing.KeyOrder(tenant, role, "test " + role, null), "test"));
    }

    public HttpResponse<String> get(String path, @Nullable String key, String... headers) {
        return send(request(path, key, headers).GET().build());
    }

    public HttpResponse<String> post(String path, @Nullable String key, String body, String... headers) {
        return send(request(path, key, headers)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
    }

    public HttpRequest.Builder request(String path, @Nullable String key, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(30));
        if (key != null) {
            request.header("x-api-key", key);
        }
        return headers.length == 0 ? request : request.headers(headers);
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    public HttpResponse<String> send(HttpRequest request) {
        return http.sendAsync(request, BodyHandlers.ofString()).join();
    }

    public static JsonObject json(HttpResponse<String> response) {
        return new JsonObject(response.body());
    }

    public static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    public void close() {
        join(server.stop(Duration.ofMillis(200)));
        blocking.shutdown();
    }
}
