package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.RunState;
import io.interlock.servers.PostgresServer;
import io.interlock.sqs.LocalSqs.Pair;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Crashes of processes and outages of stores: no message is lost, and none runs twice. */
@Timeout(60)
class CrashTest {

    private static final LocalSqs sqs = LocalSqs.shared();

    @TempDir
    Path folder;

    @Test
    void aCrashBetweenSubmitAndDeleteLosesAndDoublesNothing() throws Exception {
        Pair queues = sqs.queues();
        String store = "sqlite:" + folder.resolve("crash.db");
        queues.send("a", "{\"job\": \"note\", \"parameters\": {\"n\":1}}");
        queues.send("a", "{\"job\": \"note\", \"parameters\": {\"n\":2}}");
        assertThat(died(store, queues.url())).isEqualTo(CrashingIntake.DIED);
        assertThat(queues.size()).as("nothing was deleted").isEqualTo(2);
        try (Rig rig = new Rig(store, sqs.settings(queues.url()))) {
            await().until(() -> queues.size() == 0 && rig.recorder.done.size() == 2);
            assertThat(rig.recorder.of("a")).containsExactly("{\"n\":1}", "{\"n\":2}");
            await().until(() -> rig.runs().stream().allMatch(run -> run.state() == RunState.SUCCEEDED));
            assertThat(rig.runs()).hasSize(2);
            assertThat(queues.dead()).isZero();
        }
    }

    @Test
    void aStoreThatGoesAwayAndComesBackCostsNoMessageAndNoOrder() {
        Pair queues = sqs.queues();
        try (PostgresServer postgres = PostgresServer.start(PostgresServer.DURABLE);
                Rig rig = new Rig(postgres.url("timeout=1s"), sqs.settings(queues.url()))) {
            queues.send("a", note(0));
            await().until(() -> rig.recorder.done.size() == 1);
            postgres.stop();
            IntStream.range(1, 6).forEach(n -> queues.send("a", note(n)));
            await().until(() -> rig.gauge("interlock.sqs.held") >= 1);
            assertThat(queues.size()).isEqualTo(5);
            postgres.startAgain();
            await().atMost(Duration.ofSeconds(30)).until(() -> queues.size() == 0 && rig.recorder.done.size() == 6);
            assertThat(rig.recorder.of("a"))
                    .containsExactlyElementsOf(IntStream.range(0, 6)
                            .mapToObj(n -> "{\"n\":" + n + "}")
                            .toList());
            assertThat(queues.dead()).isZero();
        }
    }

    private static String note(int n) {
        return "{\"job\": \"note\", \"parameters\": {\"n\":" + n + "}}";
    }

    private static int died(String store, String queue) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Daws.accessKeyId=test",
                "-Daws.secretAccessKey=nothing",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                CrashingIntake.class.getName(),
                store,
                queue,
                sqs.endpoint().toString());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
