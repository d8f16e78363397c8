package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.Typed.Answer;
import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.text.Console;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Help, examples, slips of the pen, and completion. */
class HelpTest {

    @TempDir
    Path folder;

    private final Typed cli = new Typed("INTERLOCK_STORE", "memory:");

    @Test
    void helpIsThereForEverything() {
        assertThat(cli.type("--help").out()).contains("locks", "runs", "run ", "Examples:");
        assertThat(cli.type("locks", "--help").out()).contains("evict", "pause");
        assertThat(cli.type("runs", "submit", "--help").out()).contains("--on-conflict", "Example:");
        assertThat(cli.type("locks", "evcit").err()).contains("did you mean 'evict'?");
        assertThat(cli.type("locks").code()).isEqualTo(64);
        assertThat(cli.type("version").out()).startsWith("interlock ");
        assertThat(cli.type("--version").out()).startsWith("interlock ");
        assertThat(cli.type("help", "locks", "evict").out()).contains("Usage: interlock locks evict", "--token");
        Answer before = cli.type("--store", "memory:", "runs", "ls");
        assertThat(before.code()).isEqualTo(64);
        assertThat(before.err()).contains("options stand behind the command, and '--store'", "runs ls --store");
        assertThat(cli.type("server").err()).contains("./interlock server starts it");
        assertThat(cli.type("sever").err()).contains("did you mean 'server'?");
        assertThat(cli.type("--help").out()).contains("Starts a server with sample data");
        assertThat(cli.type("locks", "--store", "memory:", "ls").err()).contains("options stand behind the command");
        assertThat(cli.type("locks", "--help", "ls").code()).isZero();
    }

    @Test
    void examplesFitATerminalOfEightyColumns() {
        CommandContext session = new CommandContext(Console.of(System.out, System.err), Map.of(), Environment.system());
        assertThat(footers(new Commands(session, List.of()).whole()))
                .hasSizeGreaterThan(50)
                .allMatch(line -> line.length() < 80);
    }

    @Test
    void everyCommandHasAnExample() {
        CommandContext session = new CommandContext(Console.of(System.out, System.err), Map.of(), Environment.system());
        assertThat(withoutExample(new Commands(session, List.of()).whole()))
                .containsExactlyInAnyOrder("interlock version", "interlock server", "interlock demo");
    }

    private static List<String> withoutExample(CommandLine line) {
        List<String> all = new ArrayList<>();
        line.getSubcommands().values().forEach(each -> all.addAll(withoutExample(each)));
        boolean told =
                String.join(" ", line.getCommandSpec().usageMessage().footer()).contains("Example");
        if (line.getSubcommands().isEmpty() && !told) {
            all.add(line.getCommandSpec().qualifiedName(" "));
        }
        return all;
    }

    private static List<String> footers(CommandLine line) {
        List<String> all =
                new ArrayList<>(List.of(line.getCommandSpec().usageMessage().footer()));
        line.getSubcommands().values().forEach(each -> all.addAll(footers(each)));
        return all;
    }

    @Test
    void shellsComplete() {
        assertThat(cli.type("completion", "bash").out()).contains("bump-epoch", "--on-lost");
        assertThat(cli.type("completion", "zsh").out()).startsWith("autoload");
        assertThat(cli.type("completion", "fish").out())
                .contains("complete -c interlock", "-a evict", "-l busy-exit-code");
        assertThat(cli.type("completion", "fish").out())
                .contains(
                        "__fish_seen_subcommand_from runs; and __fish_seen_subcommand_from ls' -l state -x -a 'QUEUED ");
        assertThat(cli.type("completion", "cmd").code()).isEqualTo(64);
    }

    @Test
    void bashReallyCompletes() throws Exception {
        Path script = Files.writeString(
                folder.resolve("completion"), cli.type("completion", "bash").out());
        assertThat(completed(script, "interlock", "")).contains("run", "locks", "server", "demo");
        assertThat(completed(script, "interlock", "locks", "e")).containsExactly("evict");
        assertThat(completed(script, "interlock", "run", "--on-l")).containsExactly("--on-lost");
        assertThat(completed(script, "interlock", "run", "--on-lost", "")).containsExactly("term", "kill", "warn");
        assertThat(completed(script, "interlock", "keys", "create", "--role", "o"))
                .containsExactly("operator");
        assertThat(completed(script, "interlock", "completion", "")).containsExactly("bash", "zsh", "fish");
    }

    private static List<String> completed(Path script, String... words) throws Exception {
        String typed = "COMP_WORDS=('" + String.join("' '", words) + "'); COMP_CWORD=" + (words.length - 1);
        Process bash = new ProcessBuilder(
                        "bash",
                        "-c",
                        "compopt() { :; }; . " + script + "; " + typed
                                + "; _complete_interlock; printf '%s\\n' \"${COMPREPLY[@]}\"")
                .start();
        return new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }
}
