package io.interlock.engine.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.interlock.InvalidSettingException;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.engine.command.CommandSpec;
import io.interlock.engine.command.FakeContext;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.command.Pids;
import io.interlock.time.Environment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A job done by a command, seen from its run. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the scripts of this test are those of Linux")
@Timeout(60)
class CommandHandlerTest {

    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @TempDir
    Path dir;

    @Test
    void theCommandGetsItsParametersAndWhoItIs() throws Exception {
        FakeContext context = new FakeContext(
                "{\"tenant\": \"acme 1\", \"max-rows\": 17, \"dryRun\": true, \"nested\": {\"a\": 1}, \"none\": null}",
                TRACE);
        run(
                "cat; env | grep -E '^(INTERLOCK|TRACEPARENT|GREETING)' | grep -v INTERLOCK_GUARD | sort",
                context,
                spec -> spec.environment(Map.of("GREETING", "hello"), InheritedEnvironment.ALL));
        assertThat(context.output()).isEqualTo("""
                        {"tenant": "acme 1", "max-rows": 17, "dryRun": true, "nested": {"a": 1}, "none": null}
                        GREETING=hello
                        INTERLOCK_ATTEMPT=2
                        INTERLOCK_KEY=ledger/4711
                        INTERLOCK_PARAM_DRYRUN=true
                        INTERLOCK_PARAM_MAX_ROWS=17
                        INTERLOCK_PARAM_TENANT=acme 1
                        INTERLOCK_RUN_ID=01890000-0000-7000-8000-000000000001
                        INTERLOCK_TENANT=acme
                        INTERLOCK_TOKEN=4183
                        TRACEPARENT=%s
                        """.formatted(TRACE));
    }

    @Test
    void theWorkersSecretsAreNotPassedOn() {
        Map<String, String> worker = Map.of(
                "INTERLOCK_API_KEY", "secret",
                "INTERLOCK_STORE", "postgresql://me:secret@db/x",
                "PGPASSWORD", "secret",
                "MYSQL_PWD", "secret",
                "AWS_SECRET_ACCESS_KEY", "secret",
                "AWS_REGION", "eu-central-1",
                "HOME", "/root",
                "EDITOR", "ed",
                "TRACEPARENT", TRACE);
        CommandSpec spec = CommandSpec.of(List.of("true"));
        FakeContext context = new FakeContext("{}");
        assertThat(CommandHandler.variables(spec, context, worker))
                .containsEntry("HOME", "/root")
                .containsEntry("EDITOR", "ed")
                .containsEntry("AWS_REGION", "eu-central-1")
                .doesNotContainKeys("INTERLOCK_API_KEY", "TRACEPARENT")
                .doesNotContainValue("secret");
        assertThat(CommandHandler.variables(spec.environment(Map.of(), InheritedEnvironment.NONE), context, worker))
                .doesNotContainKey("HOME");
        assertThat(CommandHandler.variables(spec.environment(Map.of(), InheritedEnvironment.CLEAN), context, worker))
                .containsEntry("HOME", "/root")
                .doesNotContainKey("EDITOR");
        InheritedEnvironment some = InheritedEnvironment.CLEAN.allowing(Set.of("AWS_*", "PGPASSWORD"));
        assertThat(CommandHandler.variables(spec.environment(Map.of(), some), context, worker))
                .containsKeys("AWS_REGION", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "HOME")
                .doesNotContainKeys("INTERLOCK_STORE", "MYSQL_PWD", "EDITOR");
        assertThatThrownBy(() -> InheritedEnvironment.ALL.allowing(Set.of("A=B")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("A=B");
    }

    @Test
    void parametersCannotBecomeOtherVariables() {
        assertThat(CommandHandler.parameters("""
                        {"LD_PRELOAD": "x", "a=b\\n": "1", "PATH": "2", "": "3", "ä": "4", "nul": "\\u0000"}"""))
                .isEqualTo(Map.of(
                        "INTERLOCK_PARAM_LD_PRELOAD", "x",
                        "INTERLOCK_PARAM_A_B_", "1",
                        "INTERLOCK_PARAM_PATH", "2",
                        "INTERLOCK_PARAM__", "4"));
    }

    @Test
    void parametersWhoseNamesBecomeTheSameAreLeftOut() {
        assertThat(CommandHandler.parameters("""
                        {"a-b": 1, "c": 2, "a_b": 3, "A.B": 4, "c": 5, "d": 6}""")).isEqualTo(Map.of("INTERLOCK_PARAM_D", "6"));
        assertThat(CommandHandler.parameters("[1, 2]")).isEmpty();
        assertThat(CommandHandler.parameters("{\"a\": 1")).isEmpty();
    }

    @Test
    void reportsAreNoOutputAndNonsenseIs() throws Exception {
        FakeContext context = new FakeContext("{}");
        String result = run("""
                echo before
                echo '::interlock stage=load progress=12/20'
                echo '::interlock result={"rows":1}'
                echo '::interlock progress=60%'
                echo '::interlock speed=9'
                echo '::interlock progress=21/20'
                echo '::interlock result={"rows":'
                echo '::interlock result={"rows":2}'
                echo ' ::interlock stage=no' >&2
                printf '::interlock stage=last'
                """, context);
        assertThat(context.reports()).containsExactly("stage load", "progress 12/20", "progress 60/100", "stage last");
        assertThat(context.output()).isEqualTo("""
                        before
                        ::interlock speed=9
                        ::interlock progress=21/20
                        ::interlock result={"rows":
                         ::interlock stage=no
                        """);
        assertThat(result).isEqualTo("{\"rows\":2}");
    }

    @Test
    void anExitCodeDecidesWhetherToTryAgain() {
        assertThatThrownBy(() -> run("echo one; echo two >&2; exit 3"))
                .isInstanceOfSatisfying(
                        TransientFailureException.class,
                        e -> assertThat(e.code()).isEqualTo(CommandHandler.COMMAND_FAILED))
                .hasMessage("'/bin/sh' ended with exit code 3; it last wrote:\none\ntwo");
        assertThatThrownBy(() -> run("exit 64", new FakeContext("{}"), spec -> spec.permanentExitCodes(Set.of(64, 65))))
                .isInstanceOf(PermanentFailureException.class)
                .hasMessage("'/bin/sh' ended with exit code 64");
        assertThatThrownBy(() -> run("kill -SEGV $$"))
                .isInstanceOfSatisfying(
                        TransientFailureException.class,
                        e -> assertThat(e.code()).isEqualTo(CommandHandler.COMMAND_KILLED))
                .hasMessage("'/bin/sh' ended with signal 11 (SEGV)");
    }

    @Test
    void aCommandThatCannotBeExecutedFailsForGood() throws Exception {
        Path data = Files.writeString(dir.resolve("data"), "no program");
        for (String wrong : List.of("no-such-command", data.toString())) {
            CommandHandler handler = new CommandHandler(CommandSpec.of(List.of(wrong)), Environment.system());
            assertThatThrownBy(() -> handler.run(new FakeContext("{}")))
                    .isInstanceOfSatisfying(
                            PermanentFailureException.class,
                            e -> assertThat(e.code()).isEqualTo(CommandHandler.COMMAND_NOT_EXECUTABLE))
                    .hasMessageContaining(wrong);
        }
    }

    @Test
    void parametersNobodyReadsHoldNobodyUp() throws Exception {
        String large = "{\"x\": \"" + "y".repeat(65_000) + "\"}";
        FakeContext context = new FakeContext(large);
        run("exit 0", context);
        run("wc -c", context);
        assertThat(context.output().strip()).isEqualTo(Integer.toString(large.length() + 1));
    }

    @Test
    void outputWithoutEndStaysSmall() throws Exception {
        FakeContext context = new FakeContext("{}");
        run("head -c 100000000 /dev/zero; echo; echo the end", context);
        assertThat(context.written()).isEqualTo(100_000_000 + "\nthe end\n".length());
        assertThat(context.longest()).isLessThanOrEqualTo(CommandSpec.DEFAULT_TAIL);
        assertThat(context.output()).endsWith("\u2400\nthe end\n");
        FakeContext less = new FakeContext("{}");
        run("head -c 1000000 /dev/zero; echo; echo the end", less, spec -> spec.outputTail(100));
        assertThat(less.longest()).isLessThanOrEqualTo(100);
        assertThat(less.output()).endsWith("the end\n");
    }

    @Test
    void outputThatNobodyMayKeepIsNotKept() {
        FakeContext context = new FakeContext("{}");
        assertThatThrownBy(() -> run("echo secret; exit 1", context, spec -> spec.outputTail(0)))
                .hasMessage("'/bin/sh' ended with exit code 1");
        assertThat(context.output()).isEmpty();
    }

    @Test
    void aCommandThatMustStopIsAskedTo() throws Exception {
        Path pids = dir.resolve("pids");
        FakeContext context = new FakeContext("{}");
        CompletableFuture<@Nullable Throwable> end = background(
                "trap 'echo going; exit 0' TERM; echo $$ >>" + pids + "; while :; do sleep 0.05; done",
                context,
                Duration.ofSeconds(30));
        List<Long> started = Pids.in(pids, 1);
        context.stop();
        assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(RunStoppedException.class);
        assertThat(started).noneMatch(Pids::lives);
        assertThat(context.output()).contains("going\n");
    }

    @Test
    void aCommandThatIgnoresTermIsKilledAfterItsGrace() throws Exception {
        Path pids = dir.resolve("pids");
        FakeContext context = new FakeContext("{}");
        CompletableFuture<@Nullable Throwable> end = background(
                "trap 'echo no' TERM; setsid sleep 300 & echo $! >>" + pids + "; echo $$ >>" + pids
                        + "; while :; do sleep 0.05; done",
                context,
                Duration.ofMillis(300));
        List<Long> started = Pids.in(pids, 2);
        context.stop();
        assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(RunStoppedException.class);
        assertThat(started).noneMatch(Pids::lives);
        assertThat(context.output()).contains("no\n");
    }

    @Test
    void aCommandThatIgnoresTermIsKilledBeforeTheLeaseItHasLostEnds() throws Exception {
        Path pids = dir.resolve("pids");
        FakeContext context = new FakeContext("{}");
        CompletableFuture<@Nullable Throwable> end = background(
                "trap '' TERM; setsid sleep 300 & echo $! >>" + pids + "; echo $$ >>" + pids
                        + "; while :; do sleep 300; done",
                context.remaining(Duration.ofSeconds(1)),
                Duration.ofMinutes(5));
        List<Long> started = Pids.in(pids, 2);
        context.remaining(Duration.ZERO).stop();
        assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(RunStoppedException.class);
        assertThat(started).noneMatch(Pids::lives);
    }

    @Test
    void withoutAGraceItIsKilledAtOnce() throws Exception {
        Path pids = dir.resolve("pids");
        FakeContext context = new FakeContext("{}");
        CompletableFuture<@Nullable Throwable> end = background(
                "trap '' TERM; echo $$ >>" + pids + "; while :; do sleep 0.05; done", context, Duration.ZERO);
        Pids.in(pids, 1);
        context.stop();
        assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(RunStoppedException.class);
    }

    @Test
    void anInterruptStopsTheCommandToo() throws Exception {
        Path pids = dir.resolve("pids");
        CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
        Thread worker = Environment.system()
                .threads("worker")
                .newThread(() -> end.complete(
                        catchThrowable(() -> run("echo $$ >>" + pids + "; exec sleep 300", new FakeContext("{}")))));
        worker.start();
        List<Long> started = Pids.in(pids, 1);
        worker.interrupt();
        assertThat(end.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        assertThat(started).noneMatch(Pids::lives);
    }

    @Test
    void whoMustStopBeforeItBeginsStartsNothing() {
        FakeContext context = new FakeContext("{}");
        context.stop();
        assertThatThrownBy(() -> run("touch " + dir.resolve("begun"), context)).isInstanceOf(RunStoppedException.class);
        assertThat(dir.resolve("begun")).doesNotExist();
    }

    @Test
    void itWorksWhereItShould() throws Exception {
        FakeContext context = new FakeContext("{}");
        run("pwd -P", context, spec -> spec.directory(dir));
        assertThat(context.output().strip()).isEqualTo(dir.toRealPath().toString());
    }

    @Test
    void aContextThatTakesNoOutputHoldsNoCommandUp() {
        // More than a pipe holds: the command would stand still if its output was not read.
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            run("head -c 300000 /dev/zero", new FakeContext("{}"), spec -> spec.outputTail(0));
            return true;
        });
    }

    private interface Change {
        CommandSpec apply(CommandSpec spec);
    }

    private static @Nullable String run(String script) throws Exception {
        return run(script, new FakeContext("{}"));
    }

    private static @Nullable String run(String script, FakeContext context) throws Exception {
        return run(script, context, spec -> spec);
    }

    private static @Nullable String run(String script, FakeContext context, Change change) throws Exception {
        CommandSpec spec = change.apply(CommandSpec.of(List.of("/bin/sh", "-c", script)));
        return new CommandHandler(spec, Environment.system()).run(context);
    }

    private static CompletableFuture<@Nullable Throwable> background(
            String script, FakeContext context, Duration grace) {
        CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
        Environment.system()
                .threads("worker")
                .newThread(() -> end.complete(catchThrowable(() -> run(script, context.grace(grace)))))
                .start();
        return end;
    }
}
