package io.interlock.engine.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.interlock.InvalidSettingException;
import io.interlock.engine.command.Guard.Tools;
import io.interlock.engine.command.GuardedProcess.CannotExecuteException;
import io.interlock.time.Environment;
import io.interlock.time.ForwardingEnvironment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing of a command survives it, and how it ended is told exactly. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere there is no guard")
class GuardedProcessTest {

    private static final Environment REAL = Environment.system();

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 15, 64, 125, 126, 127, 128, 129, 137, 143, 200, 255})
    void anExitCodeComesHomeAsItIs(int code) throws Exception {
        try (GuardedProcess process = start("exit " + code)) {
            assertThat(process.waitFor()).isEqualTo(Exit.exited(code));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6, 9, 11, 13, 15})
    void aSignalIsToldFromTheExitCodeThatLooksLikeIt(int signal) throws Exception {
        try (GuardedProcess process = start("kill -" + signal + " $$")) {
            Exit exit = process.waitFor();
            assertThat(exit).isEqualTo(Exit.signalled(signal));
            assertThat(exit.code()).isEqualTo(128 + signal);
        }
    }

    @Test
    void aCommandThatIsNotThereIsNotFound() {
        assertThatThrownBy(() -> GuardedProcess.start(ProcessLaunch.of(List.of("no-such-command")), REAL))
                .isInstanceOfSatisfying(
                        CannotExecuteException.class,
                        e -> assertThat(e.exitCode()).isEqualTo(127))
                .hasMessageContaining("'no-such-command' was not found in PATH");
        assertThatThrownBy(() -> GuardedProcess.start(ProcessLaunch.of(List.of("./no-such-command")), REAL))
                .isInstanceOfSatisfying(
                        CannotExecuteException.class,
                        e -> assertThat(e.exitCode()).isEqualTo(127));
    }

    @Test
    void aSlipOfThePenIsFoundWithoutStartingAnything() {
        GuardedProcess.check(ProcessLaunch.of(List.of("sh", "-c", "touch " + dir.resolve("started"))));
        assertThat(dir.resolve("started")).doesNotExist();
        assertThatThrownBy(() -> GuardedProcess.check(ProcessLaunch.of(List.of("no-such-command"))))
                .isInstanceOf(CannotExecuteException.class);
    }

    @Test
    void aFileThatIsNoProgramCannotBeExecuted() throws IOException {
        Path file = Files.writeString(dir.resolve("data"), "no program");
        for (Path wrong : List.of(file, dir)) {
            assertThatThrownBy(() -> GuardedProcess.start(ProcessLaunch.of(List.of(wrong.toString())), REAL))
                    .isInstanceOfSatisfying(
                            CannotExecuteException.class,
                            e -> assertThat(e.exitCode()).isEqualTo(126));
        }
    }

    @ParameterizedTest
    @MethodSource("tools")
    void aProgramWhoseInterpreterIsMissingWasNeverExecuted(Tools tools) throws Exception {
        Path script = program("bad", "#!/no/such/interpreter\n");
        ProcessLaunch launch = ProcessLaunch.of(List.of(script.toString()));
        try (GuardedProcess process = SessionProcess.start(launch, launch.command(), tools, REAL)) {
            assertThat(process.waitFor()).isEqualTo(new Exit(Exit.Kind.NOT_FOUND, 127));
        }
    }

    @Test
    void aDirectoryThatIsNotThereIsSaid() {
        assertThatThrownBy(() ->
                        GuardedProcess.start(ProcessLaunch.of(List.of("true")).directory(dir.resolve("none")), REAL))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("none' is none");
    }

    @ParameterizedTest
    @MethodSource("tools")
    void everyShellGuardsAlike(Tools tools) throws Exception {
        Path pids = dir.resolve("pids");
        ProcessLaunch launch = ProcessLaunch.of(List.of(
                "/bin/sh", "-c", "setsid sleep 300 & echo $! >>" + pids + "; echo $$ >>" + pids + "; read x; exit 3"));
        try (GuardedProcess process = SessionProcess.start(launch, launch.command(), tools, REAL)) {
            List<Long> started = Pids.in(pids, 2);
            assertThat(process.pid()).isEqualTo(started.get(1));
            process.stdin().write('\n');
            process.stdin().close();
            assertThat(process.waitFor()).isEqualTo(Exit.exited(3));
            assertThat(started).noneMatch(Pids::lives);
        }
    }

    @ParameterizedTest
    @MethodSource("tools")
    void everyShellKillsAlike(Tools tools) throws Exception {
        ProcessLaunch launch = ProcessLaunch.of(List.of("/bin/sh", "-c", "trap '' TERM; sleep 300; sleep 300"));
        try (GuardedProcess process = SessionProcess.start(launch, launch.command(), tools, REAL)) {
            process.signal(GuardedProcess.Signal.KILL);
            assertThat(process.waitFor()).isEqualTo(Exit.signalled(9));
        }
    }

    @Test
    void argumentsAndVariablesArriveAsTheyAre() throws Exception {
        Map<String, String> environment = new HashMap<>(System.getenv());
        // The names that the scripts use, or might be tempted to.
        List<String> names =
                List.of("guard", "line", "leader", "mark", "path", "id", "found", "mode", "text", "IFS_", "x");
        names.forEach(name -> environment.put(name, name + " = \"$HOME\" `id`\n;"));
        List<String> odd =
                List.of("", " ", "a b", "$HOME", "`id`", "; exit 1", "-n", "--", "*", "\\", "'", "\"", "ü\n");
        List<String> command = Stream.concat(
                        Stream.of("/bin/sh", "-c", "env -0; printf '%s\\0' \"$@\"", "zero"), odd.stream())
                .toList();
        try (GuardedProcess process =
                GuardedProcess.start(ProcessLaunch.of(command).environment(environment), REAL)) {
            List<String> said =
                    List.of(new String(process.stdout().readAllBytes(), StandardCharsets.UTF_8).split("\0", -1));
            assertThat(said)
                    .containsAll(names.stream()
                            .map(name -> name + "=" + environment.get(name))
                            .toList());
            assertThat(said.subList(said.size() - 1 - odd.size(), said.size() - 1))
                    .isEqualTo(odd);
            assertThat(process.waitFor().succeeded()).isTrue();
        }
    }

    @Test
    void theCommandLeadsASessionOfItsOwn() throws Exception {
        try (GuardedProcess process = start("cat /proc/$$/stat; ls /proc/$$/fd")) {
            String said = new String(process.stdout().readAllBytes(), StandardCharsets.UTF_8);
            String[] stat = said.substring(said.lastIndexOf(')', said.indexOf('\n')) + 2)
                    .split("\\s+", -1);
            String pid = Long.toString(process.pid());
            assertThat(stat[2]).as("group").isEqualTo(pid);
            assertThat(stat[3]).as("session").isEqualTo(pid);
            assertThat(said.substring(said.indexOf('\n'))).as("open files").isEqualTo("\n0\n1\n2\n");
            assertThat(process.waitFor().succeeded()).isTrue();
        }
    }

    @Test
    void termReachesEverybodyInTheSessionOnce() throws Exception {
        Path seen = dir.resolve("seen");
        Path ready = dir.resolve("ready");
        Path one = program(
                "one",
                "#!/bin/sh\ntrap 'echo $$ >>" + seen + "' TERM\ntrap 'exit 0' USR1\necho $$ >>" + ready
                        + "\nwhile :; do sleep 0.05; done\n");
        // set -m: bash gives each job a group of its own, in the same session.
        assumeThat(Path.of("/bin/bash")).isExecutable();
        ProcessLaunch launch = ProcessLaunch.of(
                List.of("/bin/bash", "-c", "trap : TERM USR1; set -m; " + one + " & set +m; " + one + " & " + one));
        try (GuardedProcess process = GuardedProcess.start(launch, REAL)) {
            List<Long> started = Pids.in(ready, 3);
            process.signal(GuardedProcess.Signal.TERM);
            assertThat(Pids.in(seen, 3)).containsExactlyInAnyOrderElementsOf(started);
            process.signal(GuardedProcess.Signal.USR1);
            process.waitFor();
            assertThat(Pids.in(seen, 3)).hasSize(3);
        }
    }

    @Test
    void killFindsWhoeverHidesFromIt() throws Exception {
        Path pids = dir.resolve("pids");
        String note = "echo $$ >>" + pids + "; exec sleep 300";
        try (GuardedProcess process = start("sh -c '" + note + "' & "
                + "setsid sh -c '" + note + "' & "
                + "setsid sh -c 'setsid sh -c \"echo \\$\\$ >>" + pids + "; exec sleep 300\" & exit' & "
                + "env -i setsid sh -c '" + note + "' & "
                + "trap '' TERM HUP INT; " + note)) {
            List<Long> started = Pids.in(pids, 5);
            assertThat(started).allMatch(Pids::lives);
            process.signal(GuardedProcess.Signal.KILL);
            assertThat(process.waitFor()).isEqualTo(Exit.signalled(9));
            assertThat(started).noneMatch(Pids::lives);
        }
    }

    @Test
    void whatACommandLeavesBehindEndsWithIt() throws Exception {
        Path pids = dir.resolve("pids");
        Files.createFile(pids);
        String note = "'echo $$ >>" + pids + "; exec sleep 300'";
        try (GuardedProcess process = start("nohup sh -c " + note + " >/dev/null 2>&1 & setsid sh -c " + note
                + " >/dev/null 2>&1 & while [ $(wc -l <" + pids
                + ") -lt 2 ]; do sleep 0.02; done 2>/dev/null; exit 4")) {
            assertThat(process.waitFor()).isEqualTo(Exit.exited(4));
            assertThat(Pids.in(pids, 2)).noneMatch(Pids::lives);
        }
    }

    @Test
    void aStoppedCommandHearsOfTerm() throws Exception {
        try (GuardedProcess process = start("kill -STOP $$; exit 1")) {
            await().until(() -> Files.readString(Path.of("/proc/" + process.pid() + "/stat"))
                    .contains(") T "));
            process.signal(GuardedProcess.Signal.TERM);
            assertThat(process.waitFor()).isEqualTo(Exit.signalled(15));
        }
    }

    @Test
    void aCommandWhoseGuardIsKilledDoesNotGoOn() throws Exception {
        Path pids = dir.resolve("pids");
        try (GuardedProcess process =
                start("setsid sleep 300 & echo $! >>" + pids + "; echo $$ >>" + pids + "; sleep 300")) {
            List<Long> started = Pids.in(pids, 2);
            assertThat(Pids.guard().destroyForcibly()).isTrue();
            assertThat(process.waitFor(Duration.ofSeconds(20))).contains(Exit.signalled(9));
            assertThat(started).noneMatch(Pids::lives);
        }
    }

    @Test
    void aCommandThatIsKilledAtOnceHasBegun() throws Exception {
        String real = Tools.here().orElseThrow().setsid();
        // The guard is late, and says who leads while setsid is in the middle of saying that it was a signal.
        Path sh = program("sh", "#!/bin/sh\ncase $* in *interlock-guard*) sleep 0.15 ;; esac\nexec /bin/sh \"$@\"\n");
        Path setsid = program(
                "setsid",
                "#!/bin/sh\n[ \"$1\" = --fork ] || exec " + real + " \"$@\"\n" + real + " \"$@\" 2>/dev/null\ncode=$?\n"
                        + "printf 'setsid: ' >&2\nsleep 0.4\necho 'child did not exit normally' >&2\nexit $code\n");
        ProcessLaunch launch = ProcessLaunch.of(List.of("/bin/sh", "-c", "kill -15 $$"));
        Tools tools = new Tools(sh.toString(), setsid.toString(), true);
        try (GuardedProcess process = SessionProcess.start(launch, launch.command(), tools, REAL)) {
            assertThat(process.waitFor()).isEqualTo(Exit.signalled(15));
        }
    }

    @Test
    void aSignalAfterTheEndHarmsNobody() throws Exception {
        try (GuardedProcess process = start("exit 0")) {
            process.waitFor();
            process.signal(GuardedProcess.Signal.TERM);
            process.signal(GuardedProcess.Signal.KILL);
            assertThat(process.waitFor().succeeded()).isTrue();
        }
    }

    @Test
    void aGuardIsGoneWhenItsCommandIs() throws Exception {
        try (GuardedProcess process = start("exit 0")) {
            process.waitFor();
        }
        await().until(() -> ProcessHandle.current().children().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void withoutAThreadToWaitForItsEndNothingBegins() {
        ProcessLaunch launch = ProcessLaunch.of(List.of("sleep", "300"));
        assertThatThrownBy(() -> GuardedProcess.start(launch, new Threadless())).isInstanceOf(InternalError.class);
        await().until(() -> ProcessHandle.current().children().noneMatch(ProcessHandle::isAlive));
    }

    static Stream<Tools> tools() {
        return Stream.of("/bin/dash", "/bin/bash", "/bin/sh")
                .filter(sh -> Files.isExecutable(Path.of(sh)))
                .flatMap(sh -> Stream.of(true, false)
                        .map(exact -> new Tools(sh, Tools.here().orElseThrow().setsid(), exact)));
    }

    private static GuardedProcess start(String script) throws IOException {
        return GuardedProcess.start(ProcessLaunch.of(List.of("/bin/sh", "-c", script)), REAL);
    }

    private Path program(String name, String text) throws IOException {
        Path file = Files.writeString(dir.resolve(name), text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    /** The real world, but for threads, of which it has none. */
    private static final class Threadless extends ForwardingEnvironment {

        Threadless() {
            super(REAL);
        }

        @Override
        public ThreadFactory threads(String name) {
            return task -> {
                // Not the error the JVM throws: no test framework survives that one.
                throw new InternalError("unable to create native thread");
            };
        }
    }
}
