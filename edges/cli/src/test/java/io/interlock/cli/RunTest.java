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
import io.interlock.run.RunQuery;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code interlock run}: what the command sees, what comes home, who is turned away. */
class RunTest {

    @TempDir
    Path folder;

    private Cli cli = new Cli(Path.of("."));

    @BeforeEach
    void open() {
        cli = new Cli(folder);
    }

    @Test
    void theCommandSeesItsRunAndItsExitCodeComesHome() {
        Ended ended = cli.run(
                "run",
                "acme/close",
                "-n",
                "--reason",
                "month end",
                "--label",
                "team=finance",
                "--",
                "sh",
                "-c",
                "echo $INTERLOCK_KEY $INTERLOCK_RUN_ID $INTERLOCK_TOKEN $INTERLOCK_RUN_FILE;"
                        + " stat -c %a $INTERLOCK_RUN_FILE; exit 3");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isEqualTo(3);
        String[] seen = ended.out().split("\\s+", -1);
        assertThat(seen[0]).isEqualTo("acme/close");
        assertThat(seen[4]).isEqualTo("600");
        assertThat(Path.of(seen[3])).doesNotExist();
        Run run = recorded(seen[1]);
        assertThat(run.state()).isEqualTo(RunState.FAILED);
        assertThat(String.valueOf(run.status().error())).contains("exit code 3");
        assertThat(run.status().lastTurn().orElseThrow().token().value()).isEqualTo(Long.parseLong(seen[2]));
        assertThat(run.spec().origin().reason()).isEqualTo("month end");
        assertThat(run.spec().labels()).containsEntry("team", "finance");
    }

    @Test
    void theCommandDoesNotSeeSecretsOfInterlock() {
        Running running =
                cli.startWith("INTERLOCK_API_KEY", "ilk_canary", "run", "env", "-n", "--", "sh", "-c", "env; exit 0");
        running.closeInput();
        Ended ended = running.await();
        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .contains("INTERLOCK_RUN_ID=", "PATH=", "INTERLOCK_WITHHELD=INTERLOCK_STORE")
                .doesNotContain("ilk_canary", "INTERLOCK_STORE=", cli.store());
    }

    @Test
    void whatMayBeASecretOfAnotherIsPassedOnIfThatIsSaid() {
        Running silent = cli.startWith("PGPASSWORD", "canary", "run", "pg", "-n", "--", "sh", "-c", "env");
        silent.closeInput();
        Ended withheld = silent.await();
        assertThat(withheld.out()).doesNotContain("canary");
        assertThat(withheld.err()).contains("the command does not see PGPASSWORD", "--pass-env NAME");
        Running said = cli.startWith(
                "PGPASSWORD", "canary", "run", "pg", "-n", "--pass-env", "PGPASSWORD", "--", "sh", "-c", "env");
        said.closeInput();
        Ended passed = said.await();
        assertThat(passed.out()).contains("PGPASSWORD=canary");
        assertThat(passed.err()).isEmpty();
        Ended wrong = cli.run("run", "pg", "-n", "--pass-env", "A=B", "--", "true");
        assertThat(wrong.code()).isEqualTo(64);
        assertThat(wrong.err()).contains("A=B");
    }

    @Test
    void aCommandWithinTheCommandDoesNotTakeItsLeasesElsewhere() {
        String inner = cli.shellCommand() + " run inner -n -- true";
        Ended ended = cli.run("run", "outer", "-n", "--", "sh", "-c", inner);
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.err()).contains("has withheld INTERLOCK_STORE", "--pass-env INTERLOCK_STORE");
        assertThat(cli.run("run", "outer", "-n", "--pass-env", "INTERLOCK_STORE", "--", "sh", "-c", inner)
                        .code())
                .isZero();
    }

    @Test
    void everyByteGoesThrough() {
        byte[] input = new byte[1 << 20];
        new Random(17).nextBytes(input);
        Running running = cli.start("run", "-n", "pipe", "--", "tee", "/dev/stderr");
        running.write(input);
        running.closeInput();
        Ended ended = running.await();
        assertThat(ended.code()).isZero();
        assertThat(ended.stdout()).hasBinaryContent(input);
        assertThat(running.stderr()).hasBinaryContent(input);
    }

    @Test
    void aCommandWhoseInputIsClosedReadsNothing() {
        Running running = cli.running(
                List.of("sh", "-c", cli.shellCommand() + " run -n closed -- wc -c <&-"), "LC_ALL", "C.UTF-8");
        Ended ended = running.await();
        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.out()).isEqualTo("0\n");
    }

    @Test
    void aCommandMayReadAFileThatTheJvmReadsToo() throws Exception {
        Path modules = Path.of(System.getProperty("java.home"), "lib", "modules");
        Running running = cli.running(
                List.of("sh", "-c", cli.shellCommand() + " run -n given -- wc -c <" + modules), "LC_ALL", "C.UTF-8");
        assertThat(running.await().out()).isEqualTo(Files.size(modules) + "\n");
    }

    @Test
    void whoeverIsTurnedAwayHearsWhoHasTheKey() {
        Running holder = holder("--reason", "nightly close");

        Ended busy = cli.run("run", "-n", "k", "--", "true");
        assertThat(busy.code()).isEqualTo(75);
        assertThat(busy.err())
                .startsWith("interlock: k is held; true was not started.")
                .contains("holder   run ", "(pid ", "reason “nightly close”", "since ", "ago)", "stage load")
                .contains("left", "alive", "none waiting")
                .contains("interlock run -w 30m k -- true", "interlock locks show k");
        // Among the lines of others, each of ours can be told from them.
        assertThat(busy.err().lines()).allMatch(line -> line.startsWith("interlock: "));

        // What is to be typed next can be pasted, and leads to the same place.
        Ended pasted = cli.run("run", "-n", "k", "--store", cli.store(), "--", "sh", "-c", "echo 'a  b'; ls *");
        assertThat(pasted.err())
                .contains(
                        "interlock run -w 30m --store " + cli.store() + " k -- sh -c 'echo '\\''a  b'\\''; ls *'",
                        "interlock locks show --store " + cli.store() + " k");
        Ended waited = cli.run("run", "-w", "300ms", "--json", "k", "--", "true");
        assertThat(waited.code()).isEqualTo(75);
        assertThat(waited.err().lines().map(line -> line.substring(0, 18)))
                .contains("{\"event\":\"waiting\"", "{\"event\":\"busy\",\"k", "{\"event\":\"finished");

        holder.closeInput();
        assertThat(holder.await().code()).isZero();
        assertThat(cli.run("run", "-n", "k", "--", "true").code()).isZero();
    }

    @Test
    void whatTheCommandSaysOfItselfIsOnRecord() {
        String interlock = cli.shellCommand();
        Ended ended = cli.run(
                "run",
                "-n",
                "k",
                "--",
                "sh",
                "-ec",
                "echo $INTERLOCK_RUN_ID; " + interlock + " stage load; " + interlock + " progress 12/20");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isZero();
        Run run = recorded(ended.out().strip());
        assertThat(run.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(run.status().stages()).extracting(Stage::name).containsExactly("load");
        assertThat(run.status().progress()).isEqualTo(new Progress(12, 20L));
    }

    @Test
    void aReportFromNowhereFailsNobodyButWhoTypesIt() {
        assertThat(cli.run("stage", "load").code()).isEqualTo(64);
        Running late =
                cli.startWith("INTERLOCK_RUN_FILE", folder.resolve("gone").toString(), "stage", "load");
        Ended ended = late.await();
        assertThat(ended.code()).isZero();
        assertThat(ended.err()).contains("the run is over");
        assertThat(folder.resolve("gone")).doesNotExist();
    }

    @Test
    void aTerminalMayWaitWithoutSayingHowLong() throws Exception {
        Running holder = holder();
        Path typed = folder.resolve("typed");
        Files.writeString(typed, cli.shellCommand() + " run k -- sh -c 'echo got it'");
        Running waiting = cli.running(List.of("script", "-qec", "sh " + typed, "/dev/null"), "TERM", "xterm");
        await().until(() -> waiting.out().contains("you are number 1 of 1 in line"));
        // A terminal that can only write gets whole lines, without a word that it would not understand.
        Running dumb = cli.running(List.of("script", "-qec", "sh " + typed, "/dev/null"), "TERM", "dumb");
        await().until(() -> dumb.out().contains("you are number 2 of 2 in line"));
        dumb.write(new byte[] {26});
        await().until(() -> dumb.out().contains("Ctrl-Z does nothing here: the place in line would be lost"));
        dumb.write(new byte[] {3});
        assertThat(dumb.await().code()).isEqualTo(130);
        assertThat(dumb.out()).contains("left the line of k").doesNotContain("\u001b", "\rinterlock");
        assertThat(waiting.out())
                .contains("\r", "(Ctrl-C leaves)")
                .containsPattern(
                        "waiting for k · 00:\\d\\d · you are number 1 of 1 in line · stage load · held \\d+s by ");
        holder.closeInput();
        assertThat(holder.await().code()).isZero();
        Ended ended = waiting.await();
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).contains("acquired k", "got it");
    }

    /** A process that holds the key until its input ends, and is at stage load. */
    private Running holder(String... options) {
        List<String> words = new ArrayList<>(List.of("run", "-n", "k"));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "sh", "-c", "echo stage load >>$INTERLOCK_RUN_FILE; echo ready; read line; exit 0"));
        Running holder = cli.start(words.toArray(String[]::new));
        await().until(() -> holder.out().contains("ready"));
        try (RunEngine engine = engine()) {
            await().until(() -> engine.list(RunQuery.ofTenant("default").of(LockKey.of("k"))).runs().stream()
                    .anyMatch(run -> !run.status().stages().isEmpty()));
        }
        return holder;
    }

    private Run recorded(String id) {
        try (RunEngine engine = engine()) {
            return engine.find(RunId.parse(id)).orElseThrow();
        }
    }

    private RunEngine engine() {
        return RunEngine.builder(cli.store()).slots(0).withoutBooks().build();
    }
}
