package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.RefusedException;
import io.interlock.RunId;
import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Cli.Running;
import io.interlock.cli.Typed.Answer;
import io.interlock.engine.CallerRun;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.Transition;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** What goes wrong has one name, from the store through the engine and REST to the command line, on a store and through a server. */
class ErrorCodeTest {

    @TempDir
    static Path folder = Path.of(".");

    private static ServerProcess server = unset();
    private static RunEngine engine = engine();

    @BeforeAll
    static void start() throws IOException {
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"), "interlock:\n  jobs:\n    close: { run: { worker: remote } }\n");
        server = ServerProcess.start(folder, "codes", "--config", file.toString());
        engine = RunEngine.builder(store())
                .jobs(Jobs.of(Job.named("close").build()))
                .slots(0)
                .build();
    }

    @AfterAll
    static void stop() {
        engine.close();
        server.close();
    }

    @Test
    void lockHeld() throws Exception {
        assertThat(onServer().type("acquire", "held").code()).isZero();
        everywhere(
                "lock-held",
                75,
                () -> engine.submit(request("held")).orElseThrow(),
                "{\"key\": \"held\", \"job\": \"close\"}",
                "submit",
                "close",
                "--key",
                "held");
        for (Running wrapper : List.of(
                process("run", "-n", "--json", "held", "--server", server.url(), "--", "true"),
                process("run", "-n", "--json", "held", "--store", store(), "--", "true"))) {
            Ended busy = wrapper.await();
            assertThat(busy.code()).isEqualTo(75);
            assertThat(busy.err()).contains("\"event\":\"busy\"", "\"code\":\"lock-held\"");
        }
    }

    @Test
    void keyPaused() throws Exception {
        assertThat(onServer()
                        .type("locks", "pause", "paused/*", "--reason", "maintenance")
                        .code())
                .isZero();
        everywhere(
                "key-paused",
                75,
                () -> engine.submit(request("paused/1")).orElseThrow(),
                "{\"key\": \"paused/1\", \"job\": \"close\"}",
                "submit",
                "close",
                "--key",
                "paused/1");
    }

    @Test
    void theNextStepFitsWhatWasAskedFor() throws Exception {
        Job guarded = Job.named("guarded")
                .retry(new RetryPlan(2, Duration.ofMillis(1), 1, Duration.ofMillis(1)))
                .transition(new Transition("cluster", Set.of("none"), "LOADING", "READY", "BROKEN"))
                .handler(run -> {
                    throw new IllegalStateException("no luck");
                })
                .build();
        String dead = StoreCommandsTest.dead(store(), "next/broken", guarded);
        for (Typed cli : List.of(onServer(), onStore())) {
            cli.type("acquire", "next/held", "--ttl", "2m");
            cli.type("locks", "pause", "next/paused");
            for (String key : List.of("next/held", "next/paused")) {
                String show = "interlock locks show " + key;
                assertThat(next(75, cli, "runs", "submit", "close", "--key", key))
                        .isEqualTo(show + "; or submit with --on-conflict queue");
            }
            assertThat(next(75, cli, "resources", "set", "next/held", "READY", "--reason", "trial"))
                    .isEqualTo("interlock locks show next/held");
            assertThat(next(1, cli, "dead", "redrive", dead)).isEqualTo("interlock locks show next/broken");
        }
    }

    /** The second line of what is said about a refusal for the state of a key. */
    private static String next(int exit, Typed cli, String... words) {
        Answer refused = cli.type(words);
        assertThat(refused.code()).as(refused.err()).isEqualTo(exit);
        return refused.err().lines().skip(1).findFirst().orElse("").replaceFirst("^(interlock:)?\\s+", "");
    }

    @Test
    void unknownJob() throws Exception {
        everywhere(
                "unknown-job",
                3,
                () -> engine.submit(RunRequest.of(LockKey.of("default", "j"), "colse")),
                "{\"key\": \"j\", \"job\": \"colse\"}",
                "submit",
                "colse",
                "--key",
                "j");
    }

    @Test
    void idempotencyMismatch() throws Exception {
        engine.submit(request("same").idempotencyKey("evt-1"));
        everywhere(
                "idempotency-mismatch",
                64,
                () -> engine.submit(request("other").idempotencyKey("evt-1")),
                "{\"key\": \"other\", \"job\": \"close\", \"idempotencyKey\": \"evt-1\"}",
                "submit",
                "close",
                "--key",
                "other",
                "--idempotency-key",
                "evt-1");
    }

    @Test
    void leaseLost() throws Exception {
        String id = "6b0f2a52-13f4-4a0e-9d1e-5c9d2a1b7f10";
        assertThat(problem("/locks/renew", "{\"key\": \"l\", \"leaseId\": \"" + id + "\", \"token\": 1}"))
                .isEqualTo("lease-lost");
        for (Typed cli : List.of(onServer(), onStore())) {
            Answer lost = cli.set("INTERLOCK_LEASE_ID", id).type("renew", "l", "--token", "1");
            assertThat(lost.code()).isEqualTo(121);
            assertThat(lost.err()).contains("[lease-lost]");
        }
    }

    @Test
    void tokenStale() {
        alike("token-stale", 5, "locks", "evict", "nothing/held", "--token", "1", "--reason", "trial");
    }

    @Test
    void runFinished() {
        String id = engine.submit(request("ended")).run().orElseThrow().id().toString();
        engine.cancel(RunId.parse(id), "olga", "trial");
        alike("run-finished", 5, "runs", "front", id, "--reason", "trial");
        alike("run-finished", 5, "runs", "cancel", id, "--reason", "trial");
    }

    @Test
    void notFound() {
        String id = "019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10";
        alike("not-found", 3, "runs", "show", id);
        alike("not-found", 3, "runs", "cancel", "no-id");
        alike("not-found", 3, "resources", "show", "no/resource");
        for (Typed cli : List.of(onServer(), onStore())) {
            assertThat(cli.type("locks", "resume", "not/paused").code()).isEqualTo(3);
            assertThat(cli.type("keys", "revoke", "none").code()).isEqualTo(3);
        }
    }

    @Test
    void invalidRequest() {
        alike("invalid-request", 64, "audit", "ls", "--run", "garbage");
    }

    @Test
    void needsRunStore() throws Exception {
        int port = RedisTest.freePort();
        RedisServer redis = RedisServer.builder()
                .port(port)
                .setting("appendonly yes")
                .setting("appendfsync always")
                .setting("dir " + folder)
                .build();
        redis.start();
        String store = "redis://127.0.0.1:" + port + "?firstUse=true";
        try (ServerProcess leases = ServerProcess.on(store, folder)) {
            Typed onLeases = new Typed("INTERLOCK_STORE", store);
            for (String words : List.of("status", "sweep", "sweep --dry-run")) {
                fails(onLeases, "needs-run-store", 78, ("janitor " + words).split(" ", -1));
            }
            assertThat(onLeases.type("acquire", "star/1").code()).isZero();
            assertThat(onLeases.type("locks", "show", "star/*", "--json").out())
                    .contains("\"key\": \"star/*\"", "is free")
                    .doesNotContain("star/1");
            for (Typed cli : List.of(
                    onLeases, new Typed("INTERLOCK_SERVER", leases.url()).set("INTERLOCK_API_KEY", leases.apiKey()))) {
                for (String noun : List.of("runs", "queue", "dead", "audit")) {
                    assertThat(fails(cli, "needs-run-store", 78, noun, "ls"))
                            .contains("leases only", "sqlite:PATH or postgresql://");
                }
            }
        } finally {
            redis.stop();
        }
    }

    @Test
    void storeUnavailable() throws Exception {
        Answer onStore = new Typed("INTERLOCK_STORE", "postgresql://app@localhost:1/none").type("runs", "ls", "--json");
        assertThat(onStore.code()).isEqualTo(69);
        assertThat(onStore.err()).contains("\"code\":\"store-unavailable\"", "\"exitCode\":69");
        try (Connection hog = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("codes.db"));
                Statement statement = hog.createStatement()) {
            // Another connection has the whole file to itself.
            statement.execute("PRAGMA busy_timeout = 30000");
            statement.execute("BEGIN IMMEDIATE");
            Answer onServer = onServer().type("acquire", "k");
            assertThat(onServer.err()).contains("[store-unavailable]");
            assertThat(onServer.code()).isEqualTo(69);
        }
    }

    @Test
    void programsReadTheSameOnAStoreAndThroughAServer() {
        Submission.Started held = (Submission.Started) engine.submit(request("same/held")
                .execution(Execution.CALLER)
                .reason("month end")
                .labels(Map.of("team", "finance")));
        engine.submit(request("same/held").onConflict(ConflictPolicy.QUEUE));
        engine.submit(request("same/pending"));
        engine.pause("default", "same/paused", "olga", "maintenance", null);
        try (CallerRun work = Objects.requireNonNull(held.work())) {
            work.stage("load");
            await().until(() -> onStore().type("locks", "ls").out().contains("load"));
            String id = work.run().id().toString();
            SoftAssertions soft = new SoftAssertions();
            for (String command : List.of(
                    "locks ls same/*",
                    "locks show same/held",
                    "locks show same/pending",
                    "locks show same/paused",
                    "locks show same/free",
                    "runs ls --key same/held",
                    "runs show " + id,
                    "queue ls same/held")) {
                String[] words = (command + " --json").split(" ", -1);
                soft.assertThat(facts(onStore().type(words)))
                        .as(command)
                        .containsExactlyElementsOf(facts(onServer().type(words)));
            }
            soft.assertAll();
        }
    }

    // Without what has changed between two looks, and what only a server knows.
    private static List<String> facts(Answer answer) {
        assertThat(answer.code()).as(answer.err()).isZero();
        return answer.out()
                .lines()
                .map(line -> line.strip().replaceAll(",$", "").replaceAll("\\b[0-9.]+(ms|s)\\b", "T"))
                .filter(line -> !line.matches(
                        "\"(leaseLeft|observedAt|renewedAt|heartbeatAt|heartbeatEvery|expiresAt|refusals)\".*"))
                .sorted()
                .toList();
    }

    /** The engine, REST, and {@code interlock runs …} on a store and through a server, for people and for programs. */
    private static void everywhere(String code, int exit, ThrowingCallable inJava, String body, String... words)
            throws Exception {
        InterlockException thrown = catchThrowableOfType(InterlockException.class, inJava);
        assertThat(thrown.code()).isEqualTo(code);
        if (thrown instanceof RefusedException refused) {
            assertThat(refused.refusal().code()).isEqualTo(code);
        }
        assertThat(problem("/runs", body)).isEqualTo(code);
        for (Typed cli : List.of(onServer(), onStore())) {
            List<String> command = new ArrayList<>(List.of("runs"));
            command.addAll(List.of(words));
            if (cli.isOn("INTERLOCK_STORE")) {
                command.addAll(
                        List.of("--config", folder.resolve("interlock.yaml").toString()));
            }
            fails(cli, code, exit, command.toArray(String[]::new));
        }
    }

    /** On a store and through a server, in the same words. */
    private static void alike(String code, int exit, String... words) {
        assertThat(fails(onStore(), code, exit, words)).isEqualTo(fails(onServer(), code, exit, words));
    }

    /** For people and for programs; returns what is said to both. */
    private static String fails(Typed cli, String code, int exit, String... words) {
        Answer people = cli.type(words);
        assertThat(people.code()).as(people.err()).isEqualTo(exit);
        List<String> more = new ArrayList<>(List.of(words));
        more.add("--json");
        Answer programs = cli.type(more.toArray(String[]::new));
        assertThat(programs.code()).isEqualTo(exit);
        assertThat(programs.err())
                .contains("\"code\":\"" + code + "\"", "\"exitCode\":" + exit)
                .hasLineCount(1);
        if (exit != 64) {
            assertThat(people.err()).contains("[" + code + "]");
        }
        return people.err() + programs.err();
    }

    private static RunRequest request(String key) {
        return RunRequest.of(LockKey.of("default", key), "close").onConflict(ConflictPolicy.REJECT);
    }

    private static String problem(String path, String body) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/api/v1" + path))
                                .header("x-api-key", server.apiKey())
                                .header("content-type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return StoreCommandsTest.field(answer.body(), "code");
    }

    private static Running process(String... words) {
        Running running = new Cli(folder).startWith("INTERLOCK_API_KEY", server.apiKey(), words);
        running.closeInput();
        return running;
    }

    private static Typed onServer() {
        return new Typed("INTERLOCK_SERVER", server.url()).set("INTERLOCK_API_KEY", server.apiKey());
    }

    private static Typed onStore() {
        return new Typed("INTERLOCK_STORE", store());
    }

    private static String store() {
        return "sqlite:" + folder.resolve("codes.db");
    }

    @SuppressWarnings("NullAway") // Set before the first test.
    private static ServerProcess unset() {
        return null;
    }

    @SuppressWarnings("NullAway") // Set before the first test.
    private static RunEngine engine() {
        return null;
    }
}
