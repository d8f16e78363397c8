package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Typed.Answer;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.schedule.FireTimes;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A schedule, the command line and the REST interface, which the pages use, start a job: it is one key, and one of them has it. */
class OneLockForAllTest {

    @TempDir
    Path folder;

    @Test
    void aScheduleTheCommandLineAndHttpMeetUnderOneKey() throws Exception {
        CountDownLatch letGo = new CountDownLatch(1);
        AtomicInteger works = new AtomicInteger();
        Job close = Job.named("close")
                .handler(context -> {
                    works.incrementAndGet();
                    letGo.await();
                    return null;
                })
                .build();
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"), "interlock:\n  jobs:\n    close: { run: { worker: remote } }\n");
        // The last minute was missed, so it is made up for at once.
        ScheduledJob schedule = new ScheduledJob(
                close.name(), LockKey.of("default", "close"), FireTimes.parse("* * * * *"), Duration.ofMinutes(2));
        try (ServerProcess server = ServerProcess.start(folder, "one", "--config", file.toString());
                RunEngine engine = RunEngine.builder("sqlite:" + folder.resolve("one.db"))
                        .jobs(Jobs.of(close))
                        .schedule(schedule)
                        .drainTime(Duration.ZERO)
                        .build()) {
            await().until(() -> works.get() == 1);
            Typed cli = new Typed("INTERLOCK_SERVER", server.url()).set("INTERLOCK_API_KEY", server.apiKey());
            String run =
                    StoreCommandsTest.field(cli.type("locks", "ls", "--json").out(), "runId");
            assertThat(cli.type("runs", "show", run, "--json").out()).contains("\"submittedBy\": \"schedule\"");

            Answer submitted = cli.type("runs", "submit", "close", "--on-conflict", "reject");
            assertThat(submitted.code()).isEqualTo(75);
            assertThat(submitted.err()).contains("is held by", "[lock-held]");
            for (List<String> where : List.of(
                    List.of("--server", server.url()), List.of("--store", "sqlite:" + folder.resolve("one.db")))) {
                List<String> words = new ArrayList<>(List.of("run", "-n", "close"));
                words.addAll(where);
                words.addAll(List.of("--", "touch", "never"));
                Ended turnedAway = new Cli(folder)
                        .startWith("INTERLOCK_API_KEY", server.apiKey(), words.toArray(String[]::new))
                        .await();
                assertThat(turnedAway.code()).isEqualTo(75);
                assertThat(turnedAway.err()).contains("close is held", run, "[lock-held]");
            }
            HttpResponse<String> refused = post(server, "REJECT");
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(refused.body()).contains("\"code\":\"lock-held\"", run);
            HttpResponse<String> joined = post(server, "JOIN");
            assertThat(joined.statusCode()).isEqualTo(200);
            assertThat(StoreCommandsTest.field(joined.body(), "id")).isEqualTo(run);
            assertThat(works).hasValue(1);
            assertThat(folder.resolve("never")).doesNotExist();

            letGo.countDown();
            assertThat(engine.awaitEnd(RunId.parse(run), Duration.ofSeconds(20))
                            .orElseThrow()
                            .state())
                    .isEqualTo(RunState.SUCCEEDED);
        }
    }

    private static HttpResponse<String> post(ServerProcess server, String onConflict) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/runs"))
                                .header("x-api-key", server.apiKey())
                                .header("content-type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"key\": \"close\", \"job\": \"close\","
                                        + " \"onConflict\": \"" + onConflict + "\"}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
