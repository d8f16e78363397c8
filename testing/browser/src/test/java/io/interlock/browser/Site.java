package io.interlock.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.config.Configuration;
import io.interlock.config.Given;
import io.interlock.config.Given.Flag;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.config.OidcSettings;
import io.interlock.config.Readiness;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.Jobs;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.schedule.FireTimes;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.server.EngineOperations;
import io.interlock.server.InterlockServer;
import io.interlock.server.InterlockServer.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.Operations;
import io.interlock.server.operation.AccessOperations;
import io.interlock.server.session.Sessions;
import io.interlock.store.memory.MemoryStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A server with an engine whose handlers follow orders of the test, and API keys for it. */
final class Site implements AutoCloseable {

    static final String TENANT = "acme";

    private static final Configuration CONFIGURATION = Configuration.read(
            new Given(List.of(Flag.of("store", "postgresql://interlock:secret@db.example/interlock")), Map.of(), null));

    final MovableTime time;
    /** The clock of sessions, which a test can advance by hours. */
    final MovableTime sessionTime = new MovableTime(Duration.ofHours(4));

    final MemoryStore store;
    final RunEngine engine;
    final Sessions sessions;

    private final KeyRing ring;
    private final ExecutorService blocking;
    private final Map<String, BlockingQueue<String>> orders = new ConcurrentHashMap<>();
    private final Map<Role, String> keys = new ConcurrentHashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicLong quickRuns = new AtomicLong();
    private final boolean leasesOnly;
    private final @Nullable OidcSettings oidc;
    private InterlockServer server;

    Site(Duration behind) {
        this(behind, false);
    }

    /** A site on a store that keeps runs, or one that behaves as if its store kept leases only. */
    Site(Duration behind, boolean leasesOnly) {
        this(behind, leasesOnly, null);
    }

    /** A site where people sign in with a provider. */
    Site(Duration behind, boolean leasesOnly, @Nullable OidcSettings oidc) {
        this.leasesOnly = leasesOnly;
        this.oidc = oidc;
        time = new MovableTime(behind);
        blocking = Executors.newFixedThreadPool(2, time.threads("test-blocking"));
        store = new MemoryStore(time, Duration.ofHours(6));
        ring = new KeyRing(store.accessKeys(), time, blocking);
        sessions = new Sessions(new MemoryStore(sessionTime).signIns(), ring, sessionTime, blocking);
        engine = RunEngine.builder(store)
                .environment(time)
                .jobs(jobs())
                .workFor(TENANT)
                // So rarely that it starts nothing during a test.
                .schedule(ScheduledJob.of(
                        new JobName("billing-export"), key("billing/export"), FireTimes.parse("0 3 1 1 *")))
                .pollEvery(Duration.ofMillis(100))
                .sweepEvery(Duration.ofMillis(500))
                .drainTime(Duration.ofMillis(100))
                .build();
        server = serve(0);
    }

    private Jobs jobs() {
        return Jobs.of(
                work("nightly-close")
                        .onConflict(ConflictPolicy.QUEUE)
                        .retry(new RetryPlan(3, Duration.ofSeconds(1), 1, Duration.ofSeconds(1)))
                        .build(),
                work("import")
                        .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                        .build(),
                work("billing-export").onConflict(ConflictPolicy.JOIN).build(),
                Job.named("reindex")
                        .lease(Duration.ofSeconds(30))
                        .expiryGrace(Duration.ofHours(1))
                        .stage("extract")
                        .build(),
                Job.named("quick").handler(this::quick).build(),
                Job.named("doomed")
                        .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                        .handler(run -> {
                            throw new TransientFailureException("EXIT_9", "it fails always");
                        })
                        .build(),
                Job.named("remote")
                        .onConflict(ConflictPolicy.QUEUE)
                        .lease(Duration.ofSeconds(30))
                        .build());
    }

    /** Ends at once; one in twenty fails. */
    private String quick(RunContext run) throws PermanentFailureException {
        if (quickRuns.incrementAndGet() % 20 == 0) {
            throw new PermanentFailureException("EXIT_70", "one in twenty");
        }
        return "{}";
    }

    /** How many runs of the job {@code quick} have begun. */
    long quickRuns() {
        return quickRuns.get();
    }

    private JobBuilder work(String name) {
        return Job.named(name)
                .lease(Duration.ofHours(4))
                .stage("extract")
                .stage("transform")
                .stage("load")
                .stage("verify")
                .handler(this::follow);
    }

    /** Follows the orders of {@link #tell} until it gets the order to end. */
    private String follow(RunContext run) throws Exception {
        while (true) {
            String order = orders(run.key().name()).take();
            if (order.startsWith("fail ")) {
                throw new PermanentFailureException("EXIT_70", order.substring(5));
            }
            if (order.startsWith("again ")) {
                throw new TransientFailureException("EXIT_70", order.substring(6));
            }
            if (order.equals("end")) {
                return "{\"rows\":20000}";
            }
            if (order.startsWith("progress ")) {
                run.progress(Long.parseLong(order.substring(9)), 100);
            } else if (order.startsWith("say ")) {
                run.output(order.substring(4) + "\n");
            } else {
                run.stage(order);
            }
        }
    }

    private BlockingQueue<String> orders(String key) {
        return orders.computeIfAbsent(key, name -> new LinkedBlockingQueue<>());
    }

    /** Gives orders to the handler under {@code key}, and returns when it has taken all of them. */
    void tell(String key, String... what) {
        orders(key).addAll(List.of(what));
        Patience.until(() -> orders(key).isEmpty());
    }

    Run submit(String key, String job, String reason) {
        return engine.submit(RunRequest.of(key(key), job).reason(reason).submitter("cron@ops"))
                .orElseThrow();
    }

    static LockKey key(String name) {
        return LockKey.of(TENANT, name);
    }

    /** Starts a server on {@code port}; 0 for any free port. */
    private InterlockServer serve(int port) {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        AccessRecords records = new AccessRecords(Optional.empty(), ring, time, meters);
        EngineOperations all =
                new EngineOperations(engine, ring, sessions, records, time, Limits.DEFAULT, job -> "none");
        Operations operations = leasesOnly ? all.ofLeases() : all.operations();
        AccessOperations.addTo(operations, ring, CONFIGURATION, time.clock(), true);
        ServerParts parts = new ServerParts(
                time, ring, new Readiness(Runnable::run, Optional::empty), operations, meters, sessions, records, oidc);
        return InterlockServer.start(new Listen("127.0.0.1", port, null, false, null), Limits.DEFAULT, parts)
                .toCompletableFuture()
                .join();
    }

    /** Stops the server; the engine continues. */
    void down() {
        server.stop(Duration.ofMillis(200)).toCompletableFuture().join();
    }

    /** Starts it again on the same port. */
    void up() {
        server = serve(server.port());
    }

    /** Reads with {@code role}; fails unless the answer is 200. */
    JsonObject get(Role role, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(root() + "api/v1/" + path))
                .header("x-api-key", apiKey(role))
                .build();
        HttpResponse<String> answer =
                http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new JsonObject(answer.body());
    }

    /** Sends a request with {@code role}; fails unless the answer is 2xx. */
    JsonObject post(Role role, String path, JsonObject body) {
        HttpResponse<String> answer = send(apiKey(role), path, body);
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return answer.body().isEmpty() ? new JsonObject() : new JsonObject(answer.body());
    }

    /** Sends a request with {@code apiKey} and returns any answer. */
    HttpResponse<String> send(String apiKey, String path, JsonObject body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(root() + "api/v1/" + path))
                .header("x-api-key", apiKey)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.encode()))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
    }

    /** The answer to an acquire with {@code apiKey}. */
    int acquire(String apiKey, String key) {
        JsonObject body = new JsonObject()
                .put("key", key)
                .put("leaseId", UUID.randomUUID().toString())
                .put("ttl", "1m")
                .put("holder", "test");
        return send(apiKey, "locks/acquire", body).statusCode();
    }

    String root() {
        return "http://127.0.0.1:" + server.port() + "/";
    }

    /** An API key of {@link #TENANT}. */
    String apiKey(Role role) {
        return keys.computeIfAbsent(
                role,
                wanted -> ring.issue(new KeyRing.KeyOrder(TENANT, wanted, "ada", null), "test")
                        .toCompletableFuture()
                        .join()
                        .secret()
                        .text());
    }

    /** The bootstrap key, which may act for any tenant. Exists only while there is no admin key. */
    String bootstrapKey() {
        return ring.bootstrap("test")
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .secret()
                .text();
    }

    @Override
    public void close() {
        down();
        engine.close();
        store.close();
        blocking.shutdown();
    }
}
