package io.interlock.cli;

import io.interlock.cli.command.ProgressCommand;
import io.interlock.cli.command.Session;
import io.interlock.cli.command.StageCommand;
import io.interlock.cli.command.VersionCommand;
import io.interlock.cli.run.RunCommand;
import io.interlock.cli.text.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * All commands by name. Only the one that is asked for is built, since looking at the others would take longer than carrying it
 * out.
 */
final class Commands {

    private final Map<String, Supplier<Object>> all = new LinkedHashMap<>();

    /**
     * The commands.
     *
     * @param command what stands behind {@code --}, for {@code run}
     */
    Commands(Session session, List<String> command) {
        all.put("run", () -> new RunCommand(session, command));
        all.put("stage", () -> new StageCommand(session));
        all.put("progress", () -> new ProgressCommand(session));
        all.put("version", () -> new VersionCommand(session));
    }

    /** The name of the command that is asked for; empty if there is none. */
    static String nameIn(List<String> words) {
        return words.stream().filter(word -> !word.startsWith("-")).findFirst().orElse("");
    }

    /** What can carry out {@code words}. */
    CommandLine lineFor(List<String> words) {
        CommandLine root = withHelp(new CommandLine(new Root()));
        String name = nameIn(words);
        if (name.isEmpty()) {
            all.forEach((each, command) -> root.addSubcommand(each, withHelp(new CommandLine(command.get()))));
            return root;
        }
        Supplier<Object> command = all.get(name);
        if (command == null) {
            throw Failure.usage(
                    "'" + name + "' is no command" + Nearest.to(name, all.keySet()), "interlock --help lists them all");
        }
        return root.addSubcommand(name, withHelp(new CommandLine(command.get())));
    }

    private static CommandLine withHelp(CommandLine line) {
        line.getCommandSpec()
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Show this")
                        .build());
        line.getSubcommands().values().forEach(Commands::withHelp);
        return line;
    }
}
