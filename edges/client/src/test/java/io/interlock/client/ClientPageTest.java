package io.interlock.client;

import static io.interlock.ConflictPolicy.JOIN;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.CallerRun;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.WorkerEngine;
import io.interlock.locks.Lease;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunSpec.Execution;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/client.md}, run against a server. */
@Timeout(120)
class ClientPageTest {

    @TempDir
    Path folder;

    @Test
    void theCodeOfThePageRuns() throws Exception {
        Path jobs = Files.writeString(
                folder.resolve("interlock.yaml"),
                "interlock:\n  jobs:\n    nightly-close: { run: { worker: remote } }\n");
        List<FencingToken> ledger = new ArrayList<>();
        try (TestServer started = TestServer.start(folder, "memory:", "--config", jobs.toString())) {
            String server = started.url();
            String apiKey = started.apiKey();
            // snippet: clientLocks
            try (InterlockClient client = InterlockClient.connect(server, apiKey);
                    Lease lease = client.locks()
                            .acquire(LockKey.of("ledger/4711"), ofSeconds(5))
                            .orElseThrow()) {
                ledger.add(lease.token());
            }
            // end snippet
            assertThat(ledger).hasSize(1);
            Run ended = worker(server, apiKey);
            assertThat(ended.state()).isEqualTo(RunState.SUCCEEDED);
            caller(server, apiKey);
        }
    }

    private static Run worker(String server, String apiKey) throws InterruptedException {
        // snippet: clientWorker
        Jobs jobs = Jobs.of(
                Job.named("nightly-close").handler(run -> "{\"rows\": 20}").build());
        try (InterlockClient client = InterlockClient.connect(server, apiKey);
                ServerWorker worker = client.worker();
                WorkerEngine engine = worker.engine(jobs).slots(4).build()) {
            RunRequest request = RunRequest.of(LockKey.of("ledger/4711"), "nightly-close");
            Run run = client.submit(request.onConflict(JOIN)).orElseThrow();
            return client.awaitEnd(run.id(), ofSeconds(30)).orElseThrow();
        }
        // end snippet
    }

    private static void caller(String server, String apiKey) {
        // snippet: clientCaller
        RunRequest request = RunRequest.of(LockKey.of("ledger/4711"), "repair").execution(Execution.CALLER);
        try (InterlockClient client = InterlockClient.connect(server, apiKey)) {
            Submission answer = client.submit(request);
            if (answer instanceof Submission.Started started && started.work() != null) {
                CallerRun work = started.work();
                work.stage("load");
                work.finish(new Ending.Succeeded(null));
            } else {
                System.out.println(answer.explanation());
            }
        }
        // end snippet
    }
}
