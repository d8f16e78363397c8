package io.interlock.server.polyglot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.launch.RealServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Python and bash do the work: each run once, and what one of them leaves the other takes over. */
class PolyglotWorkersTest {

    private static final Duration SOON = Duration.ofSeconds(40);

    @TempDir
    static Path home;

    @TempDir
    Path folder;

    private static RealServer server;

    @BeforeAll
    static void start() throws IOException {
        Path file = Files.writeString(home.resolve("interlock.yaml"), """
                interlock:
                  jobs:
                    count: { run: { worker: remote } }
                    hand-over: { run: { worker: remote }, lease: 2s, retry: { attempts: 2 } }
                    report-PYTHON: { run: { worker: remote }, lease: 3s }
                    report-BASH: { run: { worker: remote }, lease: 3s }
                    proxied-PYTHON: { run: { worker: remote }, lease: 9s }
                    proxied-BASH: { run: { worker: remote }, lease: 9s }
                """);
        server = RealServer.start(
                home, Map.of(), "server", "--config", file.toString(), "--store", "sqlite:" + home.resolve("i.db"));
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Test
    void twentyRunsAreDoneOnceEachByBothTogether() {
        List<String> runs = IntStream.range(0, 20)
                .mapToObj(n -> submit("count", "count/" + n))
                .toList();
        // No run ends before both workers have begun one, so both have their share.
        String work = "echo $WORKER >> begun; until [ -e go ]; do sleep 0.05; done; echo $INTERLOCK_RUN_ID >> done";
        try (Script.Running python = Script.PYTHON.start(server, folder, "count", work);
                Script.Running bash = Script.BASH.start(server, folder, "count", work)) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(lines("begun"))
                            .as("%s %s", python.said(), bash.said())
                            .contains("PYTHON", "BASH"));
            write("go");
            runs.forEach(run -> ends(run, "SUCCEEDED"));
        }
        assertThat(lines("done")).containsExactlyInAnyOrderElementsOf(runs);
        assertThat(lines("begun")).hasSize(20);
    }

    @Test
    void theRunOfAKilledPythonWorkerIsTakenOverByTheOther() {
        String run = submit("hand-over", "hand/over");
        String work = "echo $WORKER $INTERLOCK_TOKEN >> begun; [ $WORKER = BASH ] || sleep 100";
        try (Script.Running python = Script.PYTHON.start(server, folder, "hand-over", work)) {
            await().atMost(SOON).until(() -> !lines("begun").isEmpty());
            python.kill();
        }
        try (Script.Running bash = Script.BASH.start(server, folder, "hand-over", work)) {
            ends(run, "SUCCEEDED");
            assertThat(bash.process().isAlive()).isTrue();
        }
        assertThat(run(run).getInteger("attempt")).isEqualTo(2);
        List<String> begun = lines("begun");
        assertThat(begun).hasSize(2);
        assertThat(token(begun.get(1))).as("fenced").isGreaterThan(token(begun.get(0)));
    }

    @ParameterizedTest
    @EnumSource
    void itTellsHowFarItIsAndStopsWhenItIsAskedTo(Script script) {
        String job = "report-" + script;
        String run = submit(job, "report/" + script);
        String work = "cat > parameters; echo '::interlock stage=load progress=3/20'; "
                + "trap 'echo stopped >> end; exit 1' TERM; echo x > begun; while :; do sleep 0.1; done";
        try (Script.Running worker = script.start(server, folder, job, work)) {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(run(run).getString("stage")).as(worker.said()).isEqualTo("load");
                assertThat(run(run).getJsonObject("progress"))
                        .isEqualTo(new JsonObject().put("done", 3).put("total", 20));
            });
            assertThat(new JsonObject(String.join("", lines("parameters")))).isEqualTo(new JsonObject().put("n", 1));
            post("/runs/" + run + "/cancel", new JsonObject().put("reason", "enough"), 202);
            ends(run, "ABORTED");
            assertThat(lines("end")).containsExactly("stopped");
        }
    }

    @ParameterizedTest
    @EnumSource
    void itStopsWhenItsLeaseIsLostAndGoesOnWithTheNextRun(Script script) {
        String job = "report-" + script;
        String run = submit(job, "lost/" + script);
        String work = "trap 'echo stopped >> end; exit 1' TERM; echo $INTERLOCK_TOKEN >> begun; "
                + "[ -e next ] || while :; do sleep 0.1; done";
        try (Script.Running worker = script.start(server, folder, job, work)) {
            await().atMost(SOON).until(() -> !lines("begun").isEmpty());
            JsonObject lease = new JsonObject()
                    .put("key", "lost/" + script)
                    .put("token", Long.parseLong(lines("begun").get(0)))
                    .put("reason", "by force");
            write("next");
            post("/locks/evict", lease, 200);
            await().atMost(SOON).until(() -> lines("end").equals(List.of("stopped")));
            assertThat(run(run).getString("state")).isEqualTo("ABORTED");
            ends(submit(job, "next/" + script), "SUCCEEDED");
            assertThat(worker.process().isAlive()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatFailsIsToldAndATermEndsItAfterItsRun(Script script) {
        String job = "report-" + script;
        String run = submit(job, "fails/" + script);
        String work = "echo x > begun; until [ -e go ]; do sleep 0.05; done; exit 7";
        try (Script.Running worker = script.start(server, folder, job, work)) {
            await().atMost(SOON).until(() -> !lines("begun").isEmpty());
            worker.process().destroy();
            write("go");
            assertThat(worker.process().onExit().join().exitValue())
                    .as(worker.said())
                    .isZero();
        }
        JsonObject ended = run(run);
        assertThat(ended.getString("state")).isEqualTo("FAILED");
        assertThat(ended.getJsonObject("error").getString("code")).isEqualTo("COMMAND_FAILED");
        assertThat(ended.getJsonObject("error").getString("message")).contains("7");
    }

    @ParameterizedTest
    @EnumSource
    void pagesOfAProxyAreNoAnswers(Script script) throws IOException {
        String job = "proxied-" + script;
        String run = submit(job, "proxied/" + script);
        Map<String, Queue<Integer>> pages = Map.of(
                "claims", new ConcurrentLinkedQueue<>(List.of(502, 200)),
                "heartbeat",
                        new ConcurrentLinkedQueue<>(
                                // To bash a page is the end of the lease, so that it stops in time.
                                script == Script.PYTHON ? List.of(502, 0, 502, 0, 200, 0) : List.of(502, 0, 502, 0)),
                "finish", new ConcurrentLinkedQueue<>(List.of(502, 200)));
        String work = "echo $INTERLOCK_RUN_ID >> begun; until [ -e go ]; do sleep 0.05; done";
        try (ProxyInFront proxy = new ProxyInFront(
                        server,
                        path -> Objects.requireNonNullElse(
                                pages.get(path.substring(path.lastIndexOf('/') + 1))
                                        .poll(),
                                0));
                Script.Running worker = script.start(proxy.url(), server.key().orElseThrow(), folder, job, work)) {
            await().atMost(SOON)
                    .untilAsserted(() ->
                            assertThat(pages.get("heartbeat")).as(worker.said()).isEmpty());
            write("go");
            ends(run, "SUCCEEDED");
            String next = submit(job, "proxied/next/" + script);
            ends(next, "SUCCEEDED");
            assertThat(lines("begun")).containsExactly(run, next);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsBegunUnderALeaseThatWasNotConfirmed(Script script) throws IOException {
        String job = "report-" + script;
        String run = submit(job, "unconfirmed/" + script);
        try (ProxyInFront proxy = new ProxyInFront(server, path -> path.endsWith("/heartbeat") ? 502 : 0);
                Script.Running worker = script.start(
                        proxy.url(),
                        server.key().orElseThrow(),
                        folder,
                        job,
                        "echo $INTERLOCK_RUN_ID >> begun; sleep 100")) {
            ends(run, "FAILED");
            assertThat(lines("begun")).as(worker.said()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCommandThatDoesNotHearIsKilledBeforeItsLeaseEnds(Script script) throws IOException {
        String job = "report-" + script;
        String run = submit(job, "deaf/" + script);
        String work = "trap '' TERM; echo $$ >> begun; while :; do sleep 0.1; done";
        AtomicBoolean away = new AtomicBoolean();
        try (ProxyInFront proxy =
                        new ProxyInFront(server, path -> away.get() && path.endsWith("/heartbeat") ? 502 : 0);
                Script.Running worker = script.start(proxy.url(), server.key().orElseThrow(), folder, job, work)) {
            await().atMost(SOON).until(() -> !lines("begun").isEmpty());
            away.set(true);
            ends(run, "FAILED");
            assertThat(ProcessHandle.of(Long.parseLong(lines("begun").get(0))).filter(ProcessHandle::isAlive))
                    .as(worker.said())
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTermEndsItThoughTheServerIsAway(Script script) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (ProxyInFront proxy = new ProxyInFront(server, path -> {
                    asked.countDown();
                    return 200;
                });
                Script.Running worker =
                        script.start(proxy.url(), server.key().orElseThrow(), folder, "count", "exit 1")) {
            assertThat(asked.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            worker.process().destroy();
            await().atMost(SOON).until(() -> !worker.process().isAlive());
            assertThat(worker.process().exitValue()).as(worker.said()).isZero();
        }
    }

    private static String submit(String job, String key) {
        JsonObject body = new JsonObject()
                .put("key", key)
                .put("job", job)
                .put("idempotencyKey", UUID.randomUUID().toString())
                .put("parameters", new JsonObject().put("n", 1));
        return post("/runs", body, 201).getString("id");
    }

    private static JsonObject post(String path, JsonObject body, int status) {
        HttpResponse<String> answer = server.post("/api/v1" + path, server.key().orElseThrow(), body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return new JsonObject(answer.body());
    }

    private static JsonObject run(String id) {
        return new JsonObject(
                server.get("/api/v1/runs/" + id, server.key().orElseThrow()).body());
    }

    private static void ends(String run, String state) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(run(run).getString("state"))
                        .as(run(run).encode())
                        .isEqualTo(state));
    }

    private static long token(String line) {
        return Long.parseLong(line.substring(line.indexOf(' ') + 1));
    }

    private void write(String name) {
        try {
            Files.createFile(folder.resolve(name));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private List<String> lines(String name) {
        Path file = folder.resolve(name);
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
