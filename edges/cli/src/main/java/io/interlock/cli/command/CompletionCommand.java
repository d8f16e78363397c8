package io.interlock.cli.command;

import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/** {@code interlock completion bash|zsh|fish}. */
@Command(
        description = "Prints a script that completes commands and options in a shell.",
        footer = {
            "",
            "Examples:",
            "  source <(interlock completion bash)",
            "  interlock completion fish >~/.config/fish/completions/interlock.fish"
        })
public final class CompletionCommand extends CliCommand {

    private final Supplier<CommandLine> whole;

    @Parameters(
            paramLabel = "bash|zsh|fish",
            completionCandidates = OptionValues.Shell.class,
            description = "The shell")
    private String shell = "";

    /** Completes the commands of {@code whole}. */
    public CompletionCommand(Supplier<CommandLine> whole) {
        this.whole = whole;
    }

    @Override
    public Integer call() {
        switch (new OptionValues.Shell().choose("the shell", shell)) {
            case "bash" -> console().print(AutoComplete.bash("interlock", whole.get()));
            case "zsh" ->
                console()
                        .print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
                                + AutoComplete.bash("interlock", whole.get()));
            default -> fish(whole.get().getCommandSpec(), "");
        }
        return 0;
    }

    private void fish(CommandSpec spec, String path) {
        // Each word of the path must be there: many nouns have an ls.
        String here = path.isEmpty()
                ? "-n '__fish_use_subcommand'"
                : "-n '__fish_seen_subcommand_from " + path.strip().replace(" ", "; and __fish_seen_subcommand_from ")
                        + "'";
        for (OptionSpec option : spec.options()) {
            StringBuilder line = new StringBuilder("complete -c interlock " + here);
            for (String name : option.names()) {
                line.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
            }
            console().print(line + values(option) + " -d " + quoted(option.description()));
        }
        spec.subcommands().forEach((name, line) -> {
            console()
                    .print("complete -c interlock -f " + here + " -a " + name + " -d "
                            + quoted(line.getCommandSpec().usageMessage().description()));
            fish(line.getCommandSpec(), path + " " + name);
        });
    }

    /** Whether a value follows, and which there are. */
    private static String values(OptionSpec option) {
        if (option.completionCandidates() == null) {
            return option.arity().max() > 0 ? " -r" : "";
        }
        return " -x -a '" + String.join(" ", option.completionCandidates()) + "'";
    }

    private static String quoted(String... description) {
        String text = description.length == 0 ? "" : description[0];
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    @Command(description = "Prints the version.")
    public static final class Version extends CliCommand {

        @Override
        public Integer call() {
            console()
                    .print("interlock " + version() + " (Java " + System.getProperty("java.version") + ", "
                            + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ")");
            return 0;
        }
    }
}
