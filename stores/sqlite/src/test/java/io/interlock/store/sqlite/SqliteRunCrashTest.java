package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.store.sql.SqlStore;
import io.interlock.tck.RunAudit;
import io.interlock.time.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills processes that submit runs and work on them: no run that was acknowledged is lost, and none runs beside another. */
@Tag("processes")
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqliteRunCrashTest {

    private static final List<Integer> TOLD = List.of(40, 60, 80);

    @TempDir
    Path folder;

    @Test
    void acknowledgedRunsOutliveKilledWorkers() throws Exception {
        SqliteHarness harness = new SqliteHarness(folder.resolve("runs.db"));
        List<String> told = killAfterAWhile(harness.url().orElseThrow());
        List<LockKey> keys = IntStream.range(0, DoomedWorker.KEYS)
                .mapToObj(DoomedWorker::key)
                .toList();
        List<RunId> submitted = told.stream()
                .filter(line -> line.startsWith("submitted "))
                .map(line -> RunId.parse(line.split(" ", -1)[1]))
                .toList();

        try (SqlStore store = harness.open(Environment.system())) {
            assertThat(RunAudit.findings(store, keys, submitted)).isEmpty();
            told.stream().filter(line -> line.startsWith("finished ")).forEach(line -> requireFinished(store, line));
            harness.advance(Duration.ofMinutes(1));
            int left = drain(store);
            assertThat(left).as("runs that the dead left behind").isPositive();
            assertThat(submitted)
                    .allSatisfy(id -> assertThat(run(store, id).state()).isEqualTo(RunState.SUCCEEDED));
            assertThat(RunAudit.findings(store, keys, submitted)).isEmpty();
        }
        try (TestDatabase database = new TestDatabase(folder.resolve("runs.db"))) {
            assertThat(database.text("PRAGMA integrity_check")).isEqualTo("ok");
            assertThat(database.number("SELECT count(*) FROM pragma_foreign_key_check"))
                    .isZero();
        }
        harness.close();
    }

    private static void requireFinished(SqlStore store, String line) {
        String[] words = line.split(" ", -1);
        Run run = run(store, RunId.parse(words[1]));
        assertThat(run.state()).as(line).isEqualTo(RunState.SUCCEEDED);
        assertThat(run.status().lastTurn().map(Turn::token))
                .as(line)
                .map(Object::toString)
                .hasValue(words[2]);
    }

    private static Run run(SqlStore store, RunId id) {
        return store.queries().findRun(id).orElseThrow(() -> new AssertionError("lost: run " + id));
    }

    private static int drain(SqlStore store) {
        Holder holder = new Holder("heir", "heir");
        for (int done = 0; ; done++) {
            UUID claim = new UUID(0, done);
            List<Claimed> works =
                    store.work().claim(new ClaimRequest(claim, holder, null, Set.of(DoomedWorker.JOB), 1));
            if (works.isEmpty()) {
                return done;
            }
            LeaseRecord lease = works.get(0).lease();
            RunId id = works.get(0).run().id();
            store.work()
                    .finish(List.of(
                            new FinishRequest(id, lease.key(), lease.id(), lease.token(), new Ending.Succeeded(null))));
        }
    }

    private List<String> killAfterAWhile(String url) throws IOException, InterruptedException {
        List<Process> processes = new ArrayList<>();
        List<String> told = new ArrayList<>();
        try {
            for (int i = 0; i < TOLD.size(); i++) {
                processes.add(start(url, i));
            }
            for (int i = 0; i < TOLD.size(); i++) {
                try (BufferedReader out = processes.get(i).inputReader(StandardCharsets.UTF_8)) {
                    out.lines().limit(TOLD.get(i)).forEach(told::add);
                    processes.get(i).destroyForcibly();
                    assertThat(processes.get(i).waitFor())
                            .as("%s", Files.readString(errors(i)))
                            .isEqualTo(137);
                }
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        assertThat(told).hasSize(TOLD.stream().mapToInt(lines -> lines).sum());
        return told;
    }

    private Process start(String url, int number) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedWorker.class.getName(),
                        url)
                .redirectError(errors(number).toFile())
                .start();
    }

    private Path errors(int number) {
        return folder.resolve("stderr-" + number + ".txt");
    }
}
