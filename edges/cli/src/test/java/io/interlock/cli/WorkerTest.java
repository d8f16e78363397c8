package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.cli.Cli.Running;
import io.interlock.cli.Typed.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code interlock worker}: does configured jobs until it is told to stop. */
class WorkerTest {

    @TempDir
    Path folder;

    @Test
    void aWorkerDoesWhatIsSubmittedAndEndsWhenToldTo() throws Exception {
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"),
                "interlock:\n  jobs:\n    hello:\n      run: { command: [\"echo\", \"hello\"] }\n");
        Cli process = new Cli(folder);
        Typed cli = new Typed("INTERLOCK_STORE", process.store());
        Running worker = process.start("worker", "--config", file.toString());
        await().until(() -> worker.err().contains("takes work from sqlite:"));
        Answer submitted = cli.type("runs", "submit", "hello", "--config", file.toString(), "--json");
        String id = StoreCommandsTest.field(submitted.out(), "id");
        Answer watched = cli.type("runs", "watch", id);
        assertThat(watched.out()).contains("ended SUCCEEDED");
        assertThat(watched.code()).isZero();
        assertThat(cli.type("runs", "logs", id).out()).startsWith("hello");
        worker.signal("TERM");
        assertThat(worker.await().code()).isZero();
    }

    @Test
    void aWorkerStartsIntakesAndEndsThemBeforeItsEngine() throws Exception {
        Path file = Files.writeString(folder.resolve("interlock.yaml"), """
                interlock:
                  jobs: { hello: { run: { command: ["true"] } } }
                  sqs: [ { queue: "https://sqs.eu-central-1.amazonaws.com/1/jobs.fifo" } ]
                """);
        Running worker = new Cli(folder).start("worker", "--config", file.toString());
        await().until(() -> worker.err().contains("intake of 1 queues begins"));
        worker.signal("TERM");
        assertThat(worker.await().code()).isZero();
        assertThat(worker.err()).contains("intake ends, workers take work: true");
    }
}
