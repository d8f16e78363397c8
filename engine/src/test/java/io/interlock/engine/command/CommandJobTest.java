package io.interlock.engine.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.handler.CommandHandler;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Stage;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Commands under a real engine: what becomes of their runs. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the scripts of this test are those of Linux")
@Timeout(120)
class CommandJobTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger");
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private static final String DEAF = "trap '' TERM; echo $$ >>";

    @TempDir
    Path dir;

    private final Queue<EngineEvent> events = new ConcurrentLinkedQueue<>();
    private MemoryStore store = new MemoryStore(Environment.system());

    private RunEngine engine = RunEngine.builder(store).build();

    @AfterEach
    void close() throws Exception {
        engine.close();
    }

    @Test
    void whatACommandReportsIsTheRuns() throws Exception {
        Path seen = dir.resolve("seen");
        RunId id = submit(
                "echo '::interlock stage=load progress=3/4'; while [ ! -e " + seen + " ]; do sleep 0.05; done;"
                        + " echo \"::interlock result={\\\"rows\\\":$INTERLOCK_PARAM_ROWS}\"",
                job -> job);
        await().atMost(PATIENCE)
                .until(() -> !engine.find(id).orElseThrow().status().stages().isEmpty());
        Files.createFile(seen);
        Run run = ended(id);
        assertThat(run.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(run.status().result()).isEqualTo("{\"rows\":17}");
        assertThat(run.status().stages()).extracting(Stage::name).containsExactly("load");
        assertThat(run.status().progress()).hasToString("3/4");
    }

    @Test
    void aCancelledCommandIsGone() throws Exception {
        Path pids = dir.resolve("pids");
        RunId run = submit("setsid sleep 300 & echo $! >>" + pids + "; echo $$ >>" + pids + "; sleep 300", job -> job);
        List<Long> started = Pids.in(pids, 2);
        engine.cancel(run, "olga", "no longer needed");
        assertThat(ended(run).state()).isEqualTo(RunState.ABORTED);
        Pids.assertGone(started);
    }

    @Test
    void aCommandThatTakesTooLongIsGone() throws Exception {
        Path pids = dir.resolve("pids");
        RunId run = submit(
                "trap '' TERM; echo $$ >>" + pids + "; while :; do sleep 0.1; done",
                job -> job.maxRuntime(Duration.ofSeconds(1)).grace(Duration.ofMillis(200)));
        Run ended = ended(run);
        assertThat(ended.state()).isEqualTo(RunState.TIMED_OUT);
        assertThat(ended.status().error()).extracting(RunError::code).isEqualTo(RunError.MAX_RUNTIME);
        Pids.assertGone(Pids.in(pids, 1));
    }

    @Test
    void aCommandThatMustBeKilledIsNotStuck() throws Exception {
        Path pids = dir.resolve("pids");
        RunId run = submit(DEAF + pids + "; while :; do sleep 0.1; done", job -> job.grace(Duration.ofSeconds(6)));
        List<Long> started = Pids.in(pids, 1);
        engine.cancel(run, "olga", "no longer needed");
        assertThat(ended(run).state()).isEqualTo(RunState.ABORTED);
        assertThat(events).doesNotHaveAnyElementsOfTypes(EngineEvent.WorkStuck.class);
        Pids.assertGone(started);
    }

    @Test
    void aCommandThatMustBeKilledIsGivenBackWhenTheEngineCloses() throws Exception {
        Path pids = dir.resolve("pids");
        RunId id = submit(
                DEAF + pids + "; while :; do sleep 0.1; done",
                job -> job.grace(Duration.ofSeconds(6)).retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO)));
        List<Long> started = Pids.in(pids, 1);
        engine.close();
        Run run = store.queries().findRun(id).orElseThrow();
        assertThat(run.state()).isIn(RunState.PENDING, RunState.QUEUED);
        assertThat(run.status().error()).extracting(RunError::code).isEqualTo("SHUTDOWN");
        Pids.assertGone(started);
    }

    @Test
    void exitCodesDecideOverAttempts() throws Exception {
        RetryPlan twice = new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO);
        Run dead = ended(submit("exit 3", job -> job.retry(twice)));
        assertThat(dead.state()).isEqualTo(RunState.DEAD);
        assertThat(dead.status().attempts()).isEqualTo(2);
        assertThat(dead.status().error())
                .isEqualTo(new RunError(CommandHandler.COMMAND_FAILED, "'/bin/sh' ended with exit code 3"));
        Run failed = ended(submit("exit 64", job -> job.retry(twice)));
        assertThat(failed.state()).isEqualTo(RunState.FAILED);
        assertThat(failed.status().attempts()).isEqualTo(1);
    }

    private RunId submit(String script, UnaryOperator<JobBuilder> change) throws Exception {
        engine.close();
        CommandSpec spec = CommandSpec.of(List.of("/bin/sh", "-c", script)).permanentExitCodes(Set.of(64));
        Job job = change.apply(Job.named("close").handler(new CommandHandler(spec, Environment.system())))
                .build();
        store = new MemoryStore(Environment.system());
        engine = RunEngine.builder(store)
                .jobs(Jobs.of(job))
                .listener(events::add)
                .drainTime(Duration.ZERO)
                .pollEvery(Duration.ofMillis(50))
                .sweepEvery(Duration.ofMillis(200))
                .build();
        return engine.submit(RunRequest.of(KEY, "close").parameters("{\"rows\": 17}"))
                .run()
                .orElseThrow()
                .id();
    }

    private Run ended(RunId run) throws InterruptedException {
        return engine.awaitEnd(run, PATIENCE).orElseThrow();
    }
}
