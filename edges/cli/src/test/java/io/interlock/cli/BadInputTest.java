package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Typed.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is typed wrongly: the right exit code, a line of cause, a line of what to do, and no stack trace. {@link ExitCodeTest} produces
 * the same exit codes by processes.
 */
class BadInputTest {

    @TempDir
    Path folder;

    static Stream<Bad> inputs() {
        return Stream.of(
                new Bad(64, "--wait 'banana' is not a duration", "30s, 5m", "run", "-w", "banana", "k", "--", "true"),
                new Bad(64, "--lease '1s' is below 2s", "30s", "run", "-n", "--lease", "1s", "k", "--", "true"),
                new Bad(
                        64,
                        "key 'a\\u000ab' contains the character U+000A",
                        "remove",
                        "run",
                        "-n",
                        "a\nb",
                        "--",
                        "true"),
                new Bad(64, "there is no command to run", "behind --", "run", "-n", "k"),
                new Bad(64, "KEY is missing", "--help", "run", "-n", "--", "true"),
                new Bad(
                        64,
                        "interlock locks is not the whole command",
                        "evict, list, ls, pause, resume, show",
                        "locks"),
                new Bad(64, "--token N and --reason TEXT are missing", "--help", "locks", "evict", "k"),
                new Bad(64, "stderr is not a terminal", "add -n", "run", "k", "--", "true"),
                new Bad(
                        64,
                        "'--lese' is no option of interlock run",
                        "--lease",
                        "run",
                        "-n",
                        "--lese",
                        "3s",
                        "k",
                        "--",
                        "true"),
                new Bad(
                        64,
                        "--if-busy 'wait' is unknown",
                        "fail, skip",
                        "run",
                        "-n",
                        "--if-busy",
                        "wait",
                        "k",
                        "--",
                        "true"),
                new Bad(64, "'256' is none", "from 0 to 255", "run", "-n", "-E", "256", "k", "--", "true"),
                new Bad(64, "'rnu' is no command; did you mean 'run'?", "--help", "rnu", "k"),
                new Bad(
                        64,
                        "'echo' is no argument",
                        "behind --, as in: interlock run KEY -- echo",
                        "run",
                        "-n",
                        "k",
                        "echo"),
                new Bad(
                        69,
                        "cannot be reached",
                        "PostgreSQL runs there",
                        "run",
                        "-n",
                        "k",
                        "--store",
                        "postgresql://x:secret@localhost:1/db",
                        "--",
                        "true"),
                new Bad(
                        78,
                        "has the unknown scheme 'foo:'",
                        "correct the URL",
                        "run",
                        "-n",
                        "k",
                        "--store",
                        "foo:bar",
                        "--",
                        "true"),
                new Bad(
                        127,
                        "'no-such-program' was not found",
                        "name its path",
                        "run",
                        "-n",
                        "k",
                        "--",
                        "no-such-program"));
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void isExplainedInTwoLines(Bad bad) {
        Answer answer = new Typed("INTERLOCK_STORE", new Cli(folder).store()).type(bad.words.toArray(String[]::new));
        assertThat(answer.err())
                .startsWith("interlock: ")
                .contains(bad.cause, bad.next)
                .doesNotContain("\tat ", "secret");
        assertThat(answer.err().lines()).hasSizeLessThanOrEqualTo(2);
        assertThat(answer.code()).isEqualTo(bad.code);
        assertThat(answer.out()).isEmpty();
    }

    @Test
    void aStackTraceIsShownToWhoeverAsksForIt() {
        Ended ended = new Cli(folder).run("run", "-n", "k", "-vv", "--store", "foo:bar", "--", "true");
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.err()).contains("\tat io.interlock.");
    }

    @Test
    void anAnswerThatCannotBeWrittenIsNoSuccess() {
        Cli cli = new Cli(folder);
        Ended full = cli.running(
                        List.of("sh", "-c", cli.shellCommand() + " keys create --role read >/dev/full"), "TERM", "dumb")
                .await();
        assertThat(full.code()).isEqualTo(125);
        assertThat(full.err()).contains("the answer could not be written: No space left on device");
        Ended unread = cli.running(
                        List.of("bash", "-c", cli.shellCommand() + " completion bash | :; exit ${PIPESTATUS[0]}"),
                        "TERM",
                        "dumb")
                .await();
        assertThat(unread.code()).isZero();
        assertThat(unread.err()).isEmpty();
    }

    /** What is typed, and what is answered. */
    record Bad(int code, String cause, String next, List<String> words) {
        Bad(int code, String cause, String next, String... words) {
            this(code, cause, next, List.of(words));
        }
    }
}
