package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Cli.Running;
import io.interlock.engine.RunEngine;
import io.interlock.run.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code interlock run}: how the command is stopped, by whom, and that nothing of it is left. */
class RunStopTest {

    private static final String LOOP = "while :; do sleep 300; done";

    @TempDir
    Path folder;

    private Cli cli = new Cli(Path.of("."));
    private RunEngine engine = RunEngine.builder("memory:").build();

    @BeforeEach
    void open() {
        engine.close();
        cli = new Cli(folder);
        engine = RunEngine.builder(cli.store()).slots(0).withoutBooks().build();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void signalsArePassedOnAndTheCommandDecides() {
        Command decides = start("trap 'exit 7' TERM; " + LOOP);
        decides.running.signal("TERM");
        assertThat(decides.running.await().code()).isEqualTo(7);
        assertThat(decides.recorded().state()).isEqualTo(RunState.ABORTED);
        assertThat(String.valueOf(decides.recorded().status().error())).contains("INTERRUPTED");

        for (String name : new String[] {"INT", "HUP"}) {
            Command dies = start("trap - " + name + "; " + LOOP);
            dies.running.signal(name);
            assertThat(dies.running.await().code()).isEqualTo(name.equals("INT") ? 130 : 129);
        }
    }

    @Test
    void aTerminalThatWantsToPauseItIsToldWhyNot() {
        Command goesOn = start("read line; exit 4", "--lease", "5s");
        goesOn.running.signal("TSTP");
        await().until(() -> goesOn.running.err().contains("Ctrl-Z does nothing here: the lease would be lost"));
        // Ctrl-\\ makes a JVM say what its threads do; but stdout is the command's.
        String out = goesOn.running.out();
        goesOn.running.signal("QUIT");
        await().until(() -> goesOn.running.err().contains("Full thread dump"));
        assertThat(goesOn.running.out()).isEqualTo(out);
        goesOn.running.closeInput();
        assertThat(goesOn.running.await().code()).isEqualTo(4);
    }

    @Test
    void whoDoesNotStopIsKilledAfterItsGrace() {
        Command deaf = start("trap '' TERM; " + LOOP, "--grace", "200ms");
        deaf.running.signal("TERM");
        assertThat(deaf.running.await().code()).isEqualTo(137);
        deaf.assertGone();
    }

    @Test
    void aCommandThatTakesTooLongIsStopped() {
        Command slow = start("trap 'exit 0' TERM; " + LOOP, "-t", "300ms");
        Ended ended = slow.running.await();
        assertThat(ended.code()).isEqualTo(124);
        assertThat(ended.err()).contains("took longer than its limit of 300ms");
        assertThat(slow.recorded().state()).isEqualTo(RunState.TIMED_OUT);
    }

    @Test
    void aCommandWhoseRunIsCancelledElsewhereIsStopped() {
        Command cancelled = start(LOOP, "--lease", "5s");
        engine.cancel(RunId.parse(cancelled.run), "tester", "wrong month");
        Ended ended = cancelled.running.await();
        assertThat(ended.code()).isEqualTo(143);
        assertThat(ended.err()).contains("wrong month");
        assertThat(cancelled.recorded().state()).isEqualTo(RunState.ABORTED);
    }

    @Test
    void whoLosesTheLeaseIsStopped() {
        Command loser = start("trap '' TERM; " + LOOP, "--lease", "5s");
        engine.evict(
                LockKey.of("k"),
                loser.recorded().status().lastTurn().orElseThrow().token(),
                "tester",
                "trial");
        Ended ended = loser.running.await();
        assertThat(ended.code()).isEqualTo(121);
        assertThat(ended.err()).contains("LEASE LOST for k (token ", "taken away by force", "is stopped");
        loser.assertGone();

        Command warned = start("read line; exit 5", "--lease", "2s", "--on-lost", "warn", "-w", "10s");
        engine.evict(
                LockKey.of("k"),
                warned.recorded().status().lastTurn().orElseThrow().token(),
                "tester",
                "trial");
        await().until(() -> warned.running.err().contains("goes on, as --on-lost warn says"));
        warned.running.closeInput();
        assertThat(warned.running.await().code()).isEqualTo(5);
    }

    @Test
    void killingTheWrapperKillsTheCommandAndFreesTheKey() throws Exception {
        Path named = folder.resolve("named");
        String name = "echo $INTERLOCK_RUN_FILE >new; mv new " + named + "; ";
        Command killed = start(name + "sleep 300 & " + LOOP, "--lease", "2s");
        await().until(() -> Files.exists(named));
        Path runFile = Path.of(Files.readString(named).strip());
        assertThat(runFile).exists();
        killed.running.process().destroyForcibly();
        killed.assertGone();
        await().until(() -> !Files.exists(runFile));
        Ended next = cli.run("run", "-w", "20s", "k", "--", "sh", "-c", "echo $INTERLOCK_TOKEN");
        assertThat(next.code()).isZero();
        assertThat(Long.parseLong(next.out().strip())).isGreaterThan(killed.token);
    }

    @Test
    void aWrapperThatSleptThroughItsLeaseStopsTheCommand() {
        Command paused = start("trap '' TERM; " + LOOP, "--lease", "2s");
        haltOutsideAWrite(paused.running);
        // The next holder finds no process of the command, though the wrapper is still stopped.
        String look = "kill -0 " + paused.pid + " && echo lives; echo $INTERLOCK_TOKEN";
        Ended next = cli.run("run", "-w", "20s", "k", "--", "sh", "-c", look);
        assertThat(next.out()).doesNotContain("lives");
        assertThat(next.code()).as(next.err()).isZero();
        assertThat(Long.parseLong(next.out().strip())).isGreaterThan(paused.token);
        paused.running.signal("CONT");
        Ended ended = paused.running.await();
        assertThat(ended.code()).isEqualTo(121);
        assertThat(ended.err()).contains("LEASE LOST for k");
    }

    @Test
    void whoeverLeavesWhileWaitingLeavesTheLine() {
        Command holder = start("read line");
        Running waiting = cli.start("run", "-w", "60s", "k", "--", "true");
        await().until(() -> waiting.err().contains("waiting for k"));
        assertThat(engine.queue(LockKey.of("k"))).hasSize(1);
        waiting.signal("INT");
        Ended left = waiting.await();
        assertThat(left.code()).isEqualTo(130);
        assertThat(left.err()).contains("left the line of k");
        assertThat(engine.queue(LockKey.of("k"))).isEmpty();
        holder.running.closeInput();
        holder.running.await();
    }

    /** A process that is halted within a write keeps the lock of the file, and all others wait. */
    private void haltOutsideAWrite(Running running) {
        Typed another = new Typed("INTERLOCK_STORE", cli.store() + "?timeout=500ms");
        AtomicInteger tries = new AtomicInteger();
        await().until(() -> {
            running.signal("STOP");
            String key = "probe/" + tries.incrementAndGet();
            boolean mayWrite = another.type("acquire", key, "--ttl", "2s").code() == 0;
            if (!mayWrite) {
                running.signal("CONT");
            }
            return mayWrite;
        });
    }

    private Command start(String script, String... options) {
        List<String> words = new ArrayList<>(List.of("run", "k"));
        words.addAll(List.of(options));
        if (!words.contains("-w")) {
            words.add("-n");
        }
        words.addAll(List.of("--", "sh", "-c", "echo $$ $INTERLOCK_RUN_ID $INTERLOCK_TOKEN; " + script));
        Running running = cli.start(words.toArray(String[]::new));
        await().until(() -> running.out().endsWith("\n") || !running.process().isAlive());
        String[] said = running.out().strip().split(" ", -1);
        assertThat(said).as("what it said; and on stderr: %s", running.err()).hasSize(3);
        return new Command(running, Long.parseLong(said[0]), said[1], Long.parseLong(said[2]));
    }

    private final class Command {
        private final Running running;
        private final long pid;
        private final String run;
        private final long token;

        Command(Running running, long pid, String run, long token) {
            this.running = running;
            this.pid = pid;
            this.run = run;
            this.token = token;
        }

        Run recorded() {
            return engine.find(RunId.parse(run)).orElseThrow();
        }

        void assertGone() {
            await().until(() ->
                    ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
        }
    }
}
