package io.interlock.server.compat;

import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.EngineSetup.TriggerSecret;
import io.interlock.config.JobSettings;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.config.Readiness;
import io.interlock.config.Work;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.EngineOperations;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.InterlockServer;
import io.interlock.server.InterlockServer.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.ContractCheck;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.session.Sessions;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A real server with compatible APIs over a real engine, and a client whose every answer is held against the compatible API's document. */
public final class CompatRig implements AutoCloseable {

    public static final String TENANT = "acme1281";

    public final Environment environment = Environment.system();
    public final RunStore store;
    public final RunEngine engine;

    private final KeyRing ring;
    private final InterlockServer server;
    private final ContractCheck contract;
    private final ExecutorService blocking = Executors.newFixedThreadPool(2, environment.threads("test-blocking"));
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, String> keys = new ConcurrentHashMap<>();

    /** A node with {@code jobs} on a store of its own. */
    public static CompatRig on(String url, String document, List<JobSettings> jobs) {
        return new CompatRig((RunStore) Stores.open(url), document, jobs, List.of());
    }

    /** A node with {@code jobs} on {@code store}. */
    public CompatRig(RunStore store, String document, List<JobSettings> jobs, List<TriggerSecret> secrets) {
        this.store = store;
        contract = new ContractCheck(document);
        ring = new KeyRing(store.accessKeys(), environment, blocking);
        engine = RunEngine.builder(store)
                .environment(environment)
                .jobs(Jobs.of(jobs.stream().map(JobSettings::job).toList()))
                .pollEvery(Duration.ofMillis(100))
                .sweepEvery(Duration.ofMillis(200))
                .drainTime(Duration.ofSeconds(1))
                .tenantMaxRunning("small", 1)
                .build();
        Sessions sessions = new Sessions(store.signIns(), ring, environment, blocking);
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        AccessRecords records = new AccessRecords(Optional.of(store.audit()::append), ring, environment, meters);
        Operations operations = new EngineOperations(
                        engine, ring, sessions, records, environment, Limits.DEFAULT, job -> "none")
                .operations();
        for (String other : new String[] {"listKeys", "createKey", "revokeKey", "revokeKeyByQuery", "getConfig"}) {
            operations.on(other, call -> CompletableFuture.completedFuture(Reply.nothing()));
        }
        CompatApis.addTo(operations, engine, environment, jobs, secrets);
        ServerParts parts = new ServerParts(
                environment,
                ring,
                new Readiness(Runnable::run, Optional::empty),
                operations,
                meters,
                sessions,
                records,
                null);
        server = InterlockServer.start(new Listen("127.0.0.1", 0, null, false, null), Limits.DEFAULT, parts)
                .toCompletableFuture()
                .join();
    }

    /** A job with the compatible API's own defaults, except for what is set already. */
    public static JobSettings job(CompatApi api, JobBuilder job, String... triggers) {
        Job built = job.build();
        return new JobSettings(
                built,
                api,
                new Work.Remote(),
                null,
                Arrays.stream(triggers).collect(Collectors.toMap(trigger -> trigger, trigger -> 0)),
                "eventId",
                null);
    }

    /** The text of a key of {@link #TENANT} with that role. */
    public String key(Role role) {
        return key(TENANT, role);
    }

    /** The text of a key of that tenant and role, made when it is first asked for. */
    public String key(String tenant, Role role) {
        return keys.computeIfAbsent(
                tenant + role,
                name -> ring.issue(new KeyRing.KeyOrder(tenant, role, "test " + role, null), "test")
                        .toCompletableFuture()
                        .join()
                        .secret()
                        .text());
    }

    public Answer get(String path, Role role) {
        return send(request(path, key(role)).GET().build());
    }

    public Answer delete(String path, Role role) {
        return send(request(path, key(role)).DELETE().build());
    }

    public Answer post(String path, Role role, String body) {
        return post(path, key(role), body);
    }

    public Answer post(String path, @Nullable String key, String body, String... headers) {
        return send(posting(path, key, body, headers));
    }

    public CompletableFuture<Answer> postLater(String path, Role role, String body) {
        return http.sendAsync(posting(path, key(role), body), BodyHandlers.ofString())
                .thenApply(this::checked);
    }

    private HttpRequest posting(String path, @Nullable String key, String body, String... headers) {
        HttpRequest.Builder request = request(path, key);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return body.isEmpty()
                ? request.POST(BodyPublishers.noBody()).build()
                : request.header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build();
    }

    public HttpRequest.Builder request(String path, @Nullable String key) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .timeout(Duration.ofSeconds(40));
        return key == null ? request : request.header("x-api-key", key);
    }

    public Answer send(HttpRequest request) {
        return checked(http.sendAsync(request, BodyHandlers.ofString()).join());
    }

    private Answer checked(HttpResponse<String> response) {
        contract.check(response);
        return new Answer(response.statusCode(), response);
    }

    @Override
    public void close() {
        server.stop(Duration.ofMillis(500)).toCompletableFuture().join();
        engine.close();
        blocking.shutdown();
    }

    /** Also closes the store. */
    public void closeAll() {
        close();
        store.close();
    }
}
