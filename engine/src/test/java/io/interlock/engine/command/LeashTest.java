package io.interlock.engine.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.engine.command.Guard.Tools;
import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A command that may go on for some time only: its guard ends it then, and never before. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere there is no guard")
class LeashTest {

    private static final Environment REAL = Environment.system();

    @TempDir
    Path dir;

    @ParameterizedTest
    @MethodSource("io.interlock.engine.command.GuardedProcessTest#tools")
    void aCommandThatNobodyLetsLiveOnIsKilledByItsGuard(Tools tools) throws Exception {
        Path pids = dir.resolve("pids");
        ProcessLaunch launch = ProcessLaunch.of(List.of(
                "/bin/sh",
                "-c",
                "trap '' TERM; setsid sleep 300 & echo $! >>" + pids + "; echo $$ >>" + pids
                        + "; while :; do sleep 300; done"));
        try (GuardedProcess process = SessionProcess.start(launch, launch.command(), tools, REAL)) {
            List<Long> started = Pids.in(pids, 2);
            assertThat(process.overdue()).isFalse();
            process.liveFor(() -> Duration.ofMillis(400), Duration.ZERO);
            assertThat(process.waitFor(Duration.ofSeconds(20))).contains(Exit.signalled(9));
            assertThat(process.overdue()).isTrue();
            assertThat(started).noneMatch(Pids::lives);
        }
    }

    @Test
    void aCommandMayBeStartedForSomeTimeOnly() throws Exception {
        ProcessLaunch launch = ProcessLaunch.of(List.of("sleep", "300")).life(() -> Duration.ofMillis(400));
        try (GuardedProcess process = GuardedProcess.start(launch, REAL)) {
            assertThat(process.waitFor(Duration.ofSeconds(20))).contains(Exit.signalled(9));
        }
    }

    @Test
    void aCommandThatIsLetLiveOnGoesOn() throws Exception {
        try (GuardedProcess process = start("read line; exit 3")) {
            process.liveFor(() -> Duration.ofMillis(600), Duration.ZERO);
            process.liveFor(() -> Duration.ofMinutes(5), Duration.ZERO);
            assertThat(process.waitFor(Duration.ofMillis(900))).isEmpty();
            process.stdin().close();
            assertThat(process.waitFor()).isEqualTo(Exit.exited(3));
            assertThat(process.overdue()).isFalse();
        }
        await().until(() -> ProcessHandle.current().children().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void aGuardThatIsLateHearsOutWhatWasSaidMeanwhile() throws Exception {
        Path ready = dir.resolve("ready");
        try (GuardedProcess process =
                start("trap 'exit 3' USR1; echo $$ >>" + ready + "; while :; do sleep 0.05; done")) {
            Pids.in(ready, 1);
            process.liveFor(() -> Duration.ofMillis(900), Duration.ZERO);
            signal("STOP", Pids.guard().pid());
            // Long enough for a tick, and then for the end of what it has heard of.
            assertThat(process.waitFor(Duration.ofMillis(300))).isEmpty();
            process.liveFor(() -> Duration.ofMinutes(5), Duration.ZERO);
            assertThat(process.waitFor(Duration.ofMillis(900))).isEmpty();
            signal("CONT", Pids.guard().pid());
            process.signal(GuardedProcess.Signal.USR1);
            assertThat(process.waitFor()).isEqualTo(Exit.exited(3));
        }
    }

    @ParameterizedTest
    @MethodSource("io.interlock.engine.command.GuardedProcessTest#tools")
    void theClockOfAGuardEndsWithItAndHoldsNothingOpen(Tools tools) throws Exception {
        ProcessLaunch launch = ProcessLaunch.of(List.of("/bin/sh", "-c", "read line; exit 3"));
        List<Path> clock;
        try (GuardedProcess process = SessionProcess.start(launch, launch.command(), tools, REAL)) {
            process.liveFor(() -> Duration.ofMinutes(5), Duration.ZERO);
            ProcessHandle guard = Pids.guard();
            await().until(() -> guard.descendants().count() == 2);
            clock = guard.descendants()
                    .map(each -> Path.of("/proc", Long.toString(each.pid())))
                    .toList();
            Path said = Files.readSymbolicLink(Path.of("/proc/" + guard.pid() + "/fd/1"));
            for (Path one : clock) {
                try (Stream<Path> open = Files.list(one.resolve("fd"))) {
                    for (Path descriptor : open.toList()) {
                        assertThat(Files.readSymbolicLink(descriptor))
                                .as("%s", descriptor)
                                .isNotEqualTo(said);
                    }
                }
            }
            process.stdin().close();
            assertThat(process.waitFor()).isEqualTo(Exit.exited(3));
        }
        // Sooner than its next tick, and no zombie is left.
        await().atMost(Duration.ofSeconds(4)).until(() -> clock.stream().noneMatch(Files::exists));
    }

    private static void signal(String name, long pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static GuardedProcess start(String script) throws IOException {
        return GuardedProcess.start(ProcessLaunch.of(List.of("/bin/sh", "-c", script)), REAL);
    }
}
