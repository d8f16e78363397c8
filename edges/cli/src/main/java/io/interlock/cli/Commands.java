package io.interlock.cli;

import io.interlock.NearestWord;
import io.interlock.cli.command.AuditCommands;
import io.interlock.cli.command.CliCommand;
import io.interlock.cli.command.CommandContext;
import io.interlock.cli.command.CompletionCommand;
import io.interlock.cli.command.ConfigCommand;
import io.interlock.cli.command.DeadCommands;
import io.interlock.cli.command.DoctorCommand;
import io.interlock.cli.command.JanitorCommands;
import io.interlock.cli.command.JobsCommand;
import io.interlock.cli.command.KeysCommands;
import io.interlock.cli.command.LeaseCommands;
import io.interlock.cli.command.LocksCommands;
import io.interlock.cli.command.ReportCommands;
import io.interlock.cli.command.ResourcesCommands;
import io.interlock.cli.command.RunCommand;
import io.interlock.cli.command.RunsCommands;
import io.interlock.cli.command.StoreCommands;
import io.interlock.cli.command.WorkerCommand;
import io.interlock.cli.text.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/**
 * All commands by name. Only the one that is asked for is built, since looking at the others would take longer than carrying it
 * out.
 */
final class Commands {

    /** Programs of their own that the same script starts. */
    private static final Map<String, String> PROGRAMS = Map.of(
            "server", "Starts a server: REST, the admin UI, and a worker.",
            "demo", "Starts a server with sample data, and prints its links.");

    private final Map<String, Supplier<CliCommand>> verbs = new LinkedHashMap<>();
    private final Map<String, String> nouns = new LinkedHashMap<>();
    private final CommandContext session;

    /**
     * The commands.
     *
     * @param command what stands behind {@code --}, for {@code run}
     */
    Commands(CommandContext session, List<String> command) {
        this.session = session;
        verbs.put("run", () -> new RunCommand(command));
        verbs.put("stage", ReportCommands.Stage::new);
        verbs.put("progress", ReportCommands.Progress::new);
        nouns.put("locks", "Locks: holders, evictions, pauses");
        verbs.put("locks ls", LocksCommands.Ls::new);
        verbs.put("locks show", LocksCommands.Show::new);
        verbs.put("locks evict", LocksCommands.Evict::new);
        verbs.put("locks pause", LocksCommands.Pause::new);
        verbs.put("locks resume", LocksCommands.Resume::new);
        nouns.put("runs", "Runs: past, present and queued");
        verbs.put("runs ls", RunsCommands.Ls::new);
        verbs.put("runs show", RunsCommands.Show::new);
        verbs.put("runs watch", RunsCommands.Watch::new);
        verbs.put("runs logs", RunsCommands.Logs::new);
        verbs.put("runs submit", RunsCommands.SubmitCommand::new);
        verbs.put("runs rerun", RunsCommands.Rerun::new);
        verbs.put("runs cancel", RunsCommands.Cancel::new);
        nouns.put("jobs", "Jobs of a configuration");
        verbs.put("jobs ls", JobsCommand::new);
        nouns.put("queue", "Queued runs");
        verbs.put("queue ls", RunsCommands.QueueCommand::new);
        nouns.put("dead", "Dead letters: runs whose attempts are used up");
        verbs.put("dead ls", DeadCommands.Ls::new);
        verbs.put("dead show", RunsCommands.Show::new);
        verbs.put("dead redrive", DeadCommands.Redrive::new);
        verbs.put("dead discard", DeadCommands.Discard::new);
        nouns.put("resources", "States of guarded resources");
        verbs.put("resources show", ResourcesCommands.Show::new);
        verbs.put("resources set", ResourcesCommands.Set::new);
        nouns.put("audit", "The audit log");
        verbs.put("audit ls", AuditCommands.Ls::new);
        verbs.put("audit verify", AuditCommands.Verify::new);
        verbs.put("audit sign", AuditCommands.Sign::new);
        nouns.put("janitor", "Expired leases and lost runs");
        verbs.put("janitor status", JanitorCommands.Status::new);
        verbs.put("janitor sweep", JanitorCommands.Sweep::new);
        verbs.put("acquire", LeaseCommands.Acquire::new);
        verbs.put("renew", LeaseCommands.Renew::new);
        verbs.put("release", LeaseCommands.Release::new);
        nouns.put("keys", "API keys of a server");
        verbs.put("keys create", KeysCommands.Create::new);
        verbs.put("keys ls", KeysCommands.Ls::new);
        verbs.put("keys revoke", KeysCommands.Revoke::new);
        nouns.put("store", "Maintenance of a store");
        verbs.put("store migrate", StoreCommands.Migrate::new);
        verbs.put("store bump-epoch", StoreCommands.BumpEpoch::new);
        verbs.put("worker", WorkerCommand::new);
        verbs.put("doctor", DoctorCommand::new);
        nouns.put("config", "The configuration of servers and workers");
        verbs.put("config show", ConfigCommand::new);
        verbs.put("completion", () -> new CompletionCommand(this::whole));
        verbs.put("version", CompletionCommand.VersionCommand::new);
    }

    /** The name of the command that is asked for; empty if there is none. */
    static String nameIn(List<String> words) {
        return words.stream().filter(word -> !word.startsWith("-")).findFirst().orElse("");
    }

    /** What can carry out {@code words}. */
    CommandLine lineFor(List<String> words) {
        String name = nameIn(words);
        if (name.isEmpty()) {
            return whole();
        }
        CommandLine root = withHelp(new CommandLine(new Root()));
        Supplier<CliCommand> verb = verbs.get(name);
        if (verb != null) {
            return root.addSubcommand(name, withHelp(new CommandLine(verb.get().in(session))));
        }
        if (words.indexOf(name) > 0) {
            throw misplaced(words.get(0));
        }
        if (PROGRAMS.containsKey(name)) {
            throw Failure.usage(
                    "the " + name + " is a program of its own, and not in this one",
                    "./interlock " + name + " starts it");
        }
        if (!nouns.containsKey(name)) {
            Set<String> known = new TreeSet<>(nouns.keySet());
            known.addAll(PROGRAMS.keySet());
            verbs.keySet().stream().filter(each -> !each.contains(" ")).forEach(known::add);
            throw Failure.usage("'" + name + "' is no command" + guess(name, known), "interlock --help lists them all");
        }
        List<String> rest = words.subList(1, words.size());
        String asked = nameIn(rest);
        if (rest.indexOf(asked) > 0 && !isVerb(name, asked)) {
            throw misplaced(rest.get(0));
        }
        return root.addSubcommand(name, noun(name, asked));
    }

    private boolean isVerb(String noun, String word) {
        return verbs.containsKey(noun + " " + (word.equals("list") ? "ls" : word));
    }

    private static Failure misplaced(String option) {
        return Failure.usage(
                "options stand behind the command, and '" + option + "' stands before it",
                "as in: interlock runs ls --store sqlite:PATH");
    }

    /** All commands: for help, and for completion. */
    CommandLine whole() {
        CommandLine root = withHelp(new CommandLine(new Root()));
        verbs.forEach((name, verb) -> {
            String first = name.replaceFirst(" .*", "");
            if (!root.getSubcommands().containsKey(first)) {
                root.addSubcommand(
                        first,
                        nouns.containsKey(first)
                                ? noun(first, "")
                                : withHelp(new CommandLine(verb.get().in(session))));
            }
        });
        new TreeMap<>(PROGRAMS).forEach((name, words) -> {
            CommandSpec spec = CommandSpec.create().name(name);
            spec.usageMessage().description(words);
            root.addSubcommand(name, withHelp(new CommandLine(spec)));
        });
        return root;
    }

    /** A noun with the verb that is asked for; with all its verbs if none is. */
    private CommandLine noun(String noun, String asked) {
        String wanted = asked.equals("list") ? "ls" : asked;
        CommandLine line = withHelp(new CommandLine(CommandSpec.create().name(noun)));
        line.getCommandSpec().usageMessage().description(nouns.getOrDefault(noun, "") + ".");
        Set<String> known = new TreeSet<>();
        verbs.forEach((name, verb) -> {
            if (name.startsWith(noun + " ")) {
                String verbName = name.substring(noun.length() + 1);
                known.add(verbName);
                if (wanted.isEmpty() || wanted.equals(verbName)) {
                    CommandLine each = withHelp(new CommandLine(verb.get().in(session)));
                    line.addSubcommand(verbName, each, verbName.equals("ls") ? new String[] {"list"} : new String[0]);
                }
            }
        });
        if (!wanted.isEmpty() && !known.contains(wanted)) {
            throw Failure.usage(
                    "'" + noun + " " + asked + "' is no command" + guess(wanted, known),
                    "there are: " + String.join(", ", known));
        }
        return line;
    }

    private static String guess(String typed, Set<String> known) {
        return NearestWord.to(typed, known)
                .map(name -> "; did you mean '" + name + "'?")
                .orElse("");
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

    @Command(
            name = "interlock",
            description = "One execution per key at a time, across threads, processes and machines.",
            synopsisSubcommandLabel = "COMMAND",
            footer = {
                "",
                "interlock COMMAND --help shows options and examples.",
                "",
                "Examples:",
                "  interlock run -w 10m ledger/4711 -- ./close.sh",
                "  interlock locks show ledger/4711",
                "  interlock runs ls --state RUNNING"
            })
    static final class Root implements Callable<Integer> {

        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() {
            if (spec != null) {
                spec.commandLine().usage(spec.commandLine().getOut());
            }
            return 0;
        }
    }
}
