package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.config.OidcSettings;
import io.interlock.config.Readiness;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.command.CommandSpec;
import io.interlock.engine.handler.CommandHandler;
import io.interlock.run.RetryPlan;
import io.interlock.run.Transition;
import io.interlock.server.InterlockServer.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.ContractCheck;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.session.Sessions;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A real server over a real engine on a real store, and a client whose every answer is held against the OpenAPI document. Several
 * may share a store, as nodes do.
 */
public final class EngineRig implements AutoCloseable {

    public static final String TENANT = "acme";

    public final Environment environment = Environment.system();
    public final RunStore store;
    public final RunEngine engine;
    public final KeyRing ring;
    public final InterlockServer server;
    public final ContractCheck contract = new ContractCheck();
    public final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    public final AccessRecords records;
    private final WatchedStore watched;
    private final AtomicLong shift = new AtomicLong();
    public final Sessions sessions;
    private final ExecutorService blocking = Executors.newFixedThreadPool(2, environment.threads("test-blocking"));
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, String> keys = new ConcurrentHashMap<>();

    /** On a store of its own. */
    public static EngineRig on(String url) {
        return on((RunStore) Stores.open(url));
    }

    /** A node on {@code store}. */
    public static EngineRig on(RunStore store) {
        return new EngineRig(store, Limits.DEFAULT);
    }

    public EngineRig(RunStore kept, Limits limits) {
        this(kept, limits, null);
    }

    /** A node where people sign in with a provider. */
    public EngineRig(RunStore kept, Limits limits, @Nullable OidcSettings oidc) {
        watched = new WatchedStore(kept);
        store = watched.store();
        ring = new KeyRing(store.accessKeys(), environment, blocking);
        sessions = new Sessions(store.signIns(), ring, shifted(environment, shift), blocking);
        engine = RunEngine.builder(store)
                .environment(environment)
                .jobs(jobs())
                .pollEvery(Duration.ofMillis(200))
                .drainTime(Duration.ofSeconds(1))
                .tenantMaxRunning("small", 1)
                .maxOpenRuns(limits.tenant().openRuns())
                .build();
        records = new AccessRecords(Optional.of(store.audit()::append), ring, shifted(environment, shift), meters);
        Operations operations = new EngineOperations(
                        engine, ring, sessions, records, shifted(environment, shift), limits, job -> "none")
                .operations();
        for (String other : new String[] {"listKeys", "createKey", "revokeKey", "revokeKeyByQuery", "getConfig"}) {
            operations.on(other, call -> CompletableFuture.completedFuture(Reply.nothing()));
        }
        ServerParts parts = new ServerParts(
                environment,
                ring,
                new Readiness(Runnable::run, Optional::empty),
                operations,
                meters,
                sessions,
                records,
                oidc);
        server = InterlockServer.start(new Listen("127.0.0.1", 0, null, false, null), limits, parts)
                .toCompletableFuture()
                .join();
    }

    /** Jobs done here, elsewhere, with a guard, with retries. */
    private static Jobs jobs() {
        return Jobs.of(
                Job.named("quick")
                        .stage("load")
                        .handler(run -> "{\"token\":" + run.token() + "}")
                        .build(),
                Job.named("shell")
                        .handler(new CommandHandler(
                                CommandSpec.of(List.of("sh", "-c", "echo trace $TRACEPARENT of $INTERLOCK_RUN_ID")),
                                Environment.system()))
                        .build(),
                Job.named("talk")
                        .handler(run -> {
                            run.output("half way\n");
                            // Until it is told to stop.
                            Thread.currentThread().join();
                            return null;
                        })
                        .build(),
                Job.named("remote").build(),
                Job.named("joined").onConflict(ConflictPolicy.JOIN).build(),
                Job.named("single").onConflict(ConflictPolicy.QUEUE).queueCap(1).build(),
                Job.named("flaky")
                        .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                        .build(),
                Job.named("destroy")
                        .transition(new Transition("cluster", Set.of("READY"), "DESTROYING", "DESTROYED", "FAILED"))
                        .build());
    }

    /** The text of a key of {@link #TENANT} with that role. */
    public String key(Role role) {
        return key(TENANT, role);
    }

    /** The text of a key of that tenant and role, made when it is first asked for. */
    public String key(String tenant, Role role) {
        return keys.computeIfAbsent(
                tenant + role, name -> issue(tenant, role).secret().text());
    }

    public KeyRing.IssuedKey issue(String tenant, Role role) {
        return ring.issue(new KeyRing.KeyOrder(tenant, role, "test " + role, null), "test")
                .toCompletableFuture()
                .join();
    }

    public Answer get(String path, Role role) {
        return get(path, key(role));
    }

    public Answer get(String path, @Nullable String key, String... headers) {
        return send(request(path, key, headers).GET().build());
    }

    public Answer post(String path, Role role, String body) {
        return post(path, key(role), body);
    }

    public Answer post(String path, @Nullable String key, String body, String... headers) {
        return send(posting(path, key, body, headers));
    }

    public Answer put(String path, @Nullable String key, String body) {
        return send(request(path, key)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(body))
                .build());
    }

    public CompletableFuture<Answer> postLater(String path, Role role, String body) {
        return http.sendAsync(posting(path, key(role), body), BodyHandlers.ofString())
                .thenApply(this::checked);
    }

    public HttpRequest posting(String path, @Nullable String key, String body, String... headers) {
        return request(path, key, headers)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    public HttpRequest.Builder request(String path, @Nullable String key, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(40));
        if (key != null) {
            request.header("x-api-key", key);
        }
        return headers.length == 0 ? request : request.headers(headers);
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + "/api/v1" + path);
    }

    public Answer send(HttpRequest request) {
        return checked(http.sendAsync(request, BodyHandlers.ofString()).join());
    }

    public HttpClient http() {
        return http;
    }

    private Answer checked(HttpResponse<String> response) {
        contract.check(response);
        return new Answer(response.statusCode(), response);
    }

    /** How many requests are being answered now, by the server's own meter. */
    public double activeRequests() {
        return meters.find("vertx.http.server.active.requests").gauges().stream()
                .mapToDouble(Gauge::value)
                .sum();
    }

    public static String uuid() {
        return UUID.randomUUID().toString();
    }

    @Override
    public void close() {
        server.stop(Duration.ofMillis(500)).toCompletableFuture().join();
        records.close();
        engine.close();
        blocking.shutdown();
        assertThat(watched.blocked()).as("calls of the store on an event loop").isEmpty();
    }

    /** Lets time pass for the operations, not for the engine. */
    public void pass(Duration time) {
        shift.addAndGet(time.toNanos());
    }

    /** {@code real}, with a ticker that is {@code shift} ahead. */
    public static Environment shifted(Environment real, AtomicLong shift) {
        Ticker ticker = () -> real.ticker().nanos() + shift.get();
        return (Environment) Proxy.newProxyInstance(
                EngineRig.class.getClassLoader(),
                new Class<?>[] {Environment.class},
                (self, method, arguments) ->
                        method.getName().equals("ticker") ? ticker : method.invoke(real, arguments));
    }

    /** Also closes the store. */
    public void closeAll() {
        close();
        store.close();
    }

    /** What the server said. */
    public record Answer(int status, HttpResponse<String> response) {

        public JsonObject json() {
            return new JsonObject(response.body());
        }

        public String text(String field) {
            return json().getString(field);
        }

        public long number(String field) {
            return json().getLong(field);
        }

        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        /** Fails unless the status is this one. */
        public Answer is(int expected) {
            assertThat(status)
                    .as("%s %s: %s", response.request().method(), response.uri(), response.body())
                    .isEqualTo(expected);
            return this;
        }

        /** Fails unless it is this problem. */
        public Answer isProblem(int expected, String code) {
            is(expected);
            assertThat(text("code")).isEqualTo(code);
            return this;
        }
    }
}
