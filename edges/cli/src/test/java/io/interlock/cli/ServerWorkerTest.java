package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Cli.Running;
import io.interlock.cli.Typed.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code interlock worker --server}: real workers of a real server, each in a process of its own. */
class ServerWorkerTest {

    @TempDir
    static Path folder = Path.of(".");

    private static ServerProcess server = unset();

    private final List<Running> workers = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        Files.writeString(folder.resolve("server.yaml"), """
                interlock:
                  jobs:
                    note: { run: { worker: remote } }
                    stay: { run: { worker: remote }, lease: 2s, retry: { attempts: 2, backoff: 10ms } }
                    wait: { run: { worker: remote }, lease: 6s }
                    deaf: { run: { worker: remote }, lease: 4s }
                    last: { run: { worker: remote }, lease: 20s }
                    slow: { run: { worker: remote }, lease: 2s, max-runtime: 1s }
                """);
        Files.writeString(folder.resolve("worker.yaml"), """
                interlock:
                  worker: { slots: 2 }
                  jobs:
                    note: { run: { command: ["sh", "-c", "cat; echo $INTERLOCK_RUN_ID $INTERLOCK_TENANT >>notes; echo '::interlock stage=done'; echo '::interlock result={\\"n\\":null}'"] } }
                    stay: { run: { command: ["sh", "-c", "echo $INTERLOCK_TOKEN >>stays; [ $INTERLOCK_ATTEMPT = 2 ] || exec sleep 300"] } }
                    wait: { run: { command: ["sh", "-c", "echo $$ >>$INTERLOCK_PARAM_FILE; until [ -e $INTERLOCK_PARAM_FILE.go ]; do sleep 0.05; done"] } }
                    last: { run: { command: ["sh", "-c", "echo $$ >>w1; until [ -e w1.go ]; do sleep 0.05; done"] } }
                    deaf: { run: { command: ["sh", "-c", "trap '' TERM; echo $$ >>$INTERLOCK_PARAM_FILE; while :; do sleep 300; done"] } }
                    slow: { run: { command: ["sleep", "300"] } }
                    mine: { run: { command: ["true"] } }
                """);
        Files.writeString(folder.resolve("strange.yaml"), """
                interlock:
                  jobs:
                    nots: { run: { command: ["true"] } }
                """);
        server = ServerProcess.start(
                folder, "server", "--config", folder.resolve("server.yaml").toString());
    }

    /** Whatever a test left behind must not take the work of the next one. */
    @AfterEach
    void endWorkers() {
        workers.forEach(worker -> worker.process().destroyForcibly());
        workers.forEach(Running::await);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void twoWorkersDoEachRunOnce() throws Exception {
        Running one = worker();
        Running other = worker();
        assertThat(one.err()).contains("the server knows no job 'mine'; it cannot be started there");
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            ids.add(submit("note", "note/" + i, "{\"big\":12345678901234567890,\"none\":null}"));
        }
        ids.forEach(id -> assertThat(typed().type("runs", "watch", id).out()).contains("ended SUCCEEDED"));
        assertThat(Files.readAllLines(folder.resolve("notes")))
                .containsExactlyInAnyOrderElementsOf(
                        ids.stream().map(id -> id + " default").toList());
        // What it was given and what it gave back went there and back to the last digit.
        assertThat(typed().type("runs", "logs", ids.get(0)).out())
                .startsWith("{\"big\":12345678901234567890,\"none\":null}");
        assertThat(typed().type("runs", "show", ids.get(0), "--json").out())
                .contains("\"result\": {\"n\":null}", "\"stage\": \"done\"");
        one.signal("TERM");
        other.signal("INT");
        assertThat(one.await().code()).isZero();
        assertThat(other.await().code()).isZero();
    }

    @Test
    void theRunOfAKilledWorkerIsTakenOverUnderAGreaterToken() throws Exception {
        Running killed = worker();
        String id = submit("stay", "stay", "{}");
        Path stays = folder.resolve("stays");
        await().until(() -> Files.exists(stays) && Files.readString(stays).endsWith("\n"));
        killed.signal("KILL");
        killed.await();
        Running heir = worker();
        assertThat(typed().type("runs", "watch", id).out()).contains("ended SUCCEEDED");
        List<String> tokens = Files.readAllLines(stays);
        assertThat(tokens).hasSize(2);
        assertThat(Long.parseLong(tokens.get(1))).isGreaterThan(Long.parseLong(tokens.get(0)));
        heir.signal("TERM");
        assertThat(heir.await().code()).isZero();
    }

    @Test
    void workUnderWayEndsBeforeAWorkerThatIsToldToStopDoesAndARestartedServerDoesNoHarm() throws Exception {
        Running worker = worker();
        Path file = folder.resolve("w1");
        String id = submit("last", "last", "{}");
        await().until(() -> Files.exists(file));
        server = server.restart(
                folder, "server", "--config", folder.resolve("server.yaml").toString());
        String later = submit("note", "wait/2", "{}");
        assertThat(typed().type("runs", "watch", later).out()).contains("ended SUCCEEDED");
        worker.signal("TERM");
        await().until(() -> worker.err().contains("waiting for what is under way"));
        assertThat(worker.process().isAlive()).isTrue();
        Files.createFile(folder.resolve("w1.go"));
        assertThat(worker.await().code()).isZero();
        assertThat(typed().type("runs", "show", id).out()).contains("SUCCEEDED");
    }

    @Test
    void aCancelAndTheMaxRuntimeStopTheCommand() throws Exception {
        Running worker = worker();
        Path file = folder.resolve("w2");
        String id = submit("wait", "wait/3", "{\"file\":\"w2\"}");
        await().until(() -> Files.exists(file) && Files.readString(file).endsWith("\n"));
        assertThat(typed().type("runs", "cancel", id, "--yes", "--reason", "wrong month")
                        .code())
                .isZero();
        assertThat(typed().type("runs", "watch", id).out()).contains("ended ABORTED");
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(file).strip())))
                .isEmpty();
        String slow = submit("slow", "slow", "{}");
        assertThat(typed().type("runs", "watch", slow).out()).contains("ended TIMED_OUT");
        worker.signal("TERM");
        assertThat(worker.await().code()).isZero();
    }

    @Test
    void aWorkerWithoutItsServerStopsTheWorkBeforeTheLeaseEnds() throws Exception {
        Running worker = worker();
        Path file = folder.resolve("w4");
        submit("deaf", "deaf", "{\"file\":\"w4\"}");
        await().until(() -> Files.exists(file) && Files.readString(file).endsWith("\n"));
        long child = Long.parseLong(Files.readString(file).strip());
        server.running().signal("STOP");
        try {
            await().until(() -> ProcessHandle.of(child).isEmpty());
            assertThat(worker.err()).contains("no renewal was confirmed in time");
        } finally {
            server.running().signal("CONT");
        }
    }

    @Test
    void aWorkerThatSleepsThroughItsLeaseLeavesNoCommandBehind() throws Exception {
        Running worker = worker();
        Path file = folder.resolve("w5");
        String id = submit("deaf", "deaf/2", "{\"file\":\"w5\"}");
        await().until(() -> Files.exists(file) && Files.readString(file).endsWith("\n"));
        worker.signal("STOP");
        assertThat(typed().type("runs", "watch", id).out()).contains("ended");
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(file).strip())))
                .isEmpty();
    }

    @Test
    void whatCannotWorkIsSaidAtOnce() {
        Ended strange = worker(server.url(), server.apiKey(), "strange.yaml").await();
        assertThat(strange.code()).isEqualTo(78);
        assertThat(strange.err())
                .contains(
                        "knows none of the jobs that are done here: nots",
                        "it knows: deaf, last, note, slow, stay, wait");
        assertThat(worker(server.url(), "ilk_wrong", "worker.yaml").await().code())
                .isEqualTo(77);
        assertThat(worker("http://localhost:1", "", "worker.yaml").await().code())
                .isEqualTo(69);
    }

    private static String submit(String job, String key, String parameters) {
        Answer submitted = typed().type("runs", "submit", job, "--key", key, "--parameters", parameters, "--json");
        assertThat(submitted.code()).as(submitted.err()).isZero();
        return StoreCommandsTest.field(submitted.out(), "id");
    }

    private Running worker() {
        Running worker = worker(server.url(), server.apiKey(), "worker.yaml");
        String ready = "takes work from " + server.url();
        await().until(() -> worker.err().contains(ready) || !worker.process().isAlive());
        assertThat(worker.err()).contains(ready);
        return worker;
    }

    private Running worker(String url, String apiKey, String file) {
        Running worker =
                new Cli(folder).startWith("INTERLOCK_API_KEY", apiKey, "worker", "--server", url, "--config", file);
        workers.add(worker);
        return worker;
    }

    private static Typed typed() {
        return new Typed("INTERLOCK_SERVER", server.url()).set("INTERLOCK_API_KEY", server.apiKey());
    }

    @SuppressWarnings("NullAway") // Set before the first test.
    private static ServerProcess unset() {
        return null;
    }
}
