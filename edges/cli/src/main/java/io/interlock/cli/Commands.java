package io.interlock.cli;

import io.interlock.NearestWord;
import io.interlock.cli.command.AuditCommands;
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
import io.interlock.cli.command.ProgressCommand;
import io.interlock.cli.command.QueueCommand;
import io.interlock.cli.command.ResourcesCommands;
import io.interlock.cli.command.RunCommand;
import io.interlock.cli.command.RunsCommands;
import io.interlock.cli.command.StageCommand;
import io.interlock.cli.command.StoreCommands;
import io.interlock.cli.command.SubmitCommand;
import io.interlock.cli.command.VersionCommand;
import io.interlock.cli.command.WorkerCommand;
import io.interlock.cli.text.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * All commands by name. Only the one that is asked for is built, since looking at the others would take longer than carrying it
 * out.
 */
final class Commands {

    /** They are started by the same script, and are programs of their own. */
    private static final Map<String, String> PROGRAMS = Map.of(
            "server", "Starts a server: REST, the admin UI, and a worker.",
            "demo", "Starts a server with sample data, and prints its links.");

    private final Map<String, Supplier<Object>> verbs = new LinkedHashMap<>();
    private final Map<String, String> nouns = new LinkedHashMap<>();

    /**
     * The commands.
     *
     * @param command what stands behind {@code --}, for {@code run}
     */
    Commands(CommandContext session, List<String> command) {
        verbs.put("run", () -> new RunCommand(session, command));
        verbs.put("stage", () -> new StageCommand(session));
        verbs.put("progress", () -> new ProgressCommand(session));
        nouns.put("locks", "Who has which key; force and pauses");
        verbs.put("locks ls", () -> new LocksCommands.Ls(session));
        verbs.put("locks show", () -> new LocksCommands.Show(session));
        verbs.put("locks evict", () -> new LocksCommands.Evict(session));
        verbs.put("locks pause", () -> new LocksCommands.Pause(session));
        verbs.put("locks resume", () -> new LocksCommands.Resume(session));
        nouns.put("runs", "Runs: what happened, happens and is to happen");
        verbs.put("runs ls", () -> new RunsCommands.Ls(session));
        verbs.put("runs show", () -> new RunsCommands.Show(session));
        verbs.put("runs watch", () -> new RunsCommands.Watch(session));
        verbs.put("runs logs", () -> new RunsCommands.Logs(session));
        verbs.put("runs submit", () -> new SubmitCommand(session));
        verbs.put("runs rerun", () -> new RunsCommands.Rerun(session));
        verbs.put("runs cancel", () -> new RunsCommands.Cancel(session));
        nouns.put("jobs", "Jobs of a configuration");
        verbs.put("jobs ls", () -> new JobsCommand(session));
        nouns.put("queue", "Who waits in line");
        verbs.put("queue ls", () -> new QueueCommand(session));
        nouns.put("dead", "Dead letters: runs whose attempts are used up");
        verbs.put("dead ls", () -> new DeadCommands.Ls(session));
        verbs.put("dead show", () -> new RunsCommands.Show(session));
        verbs.put("dead redrive", () -> new DeadCommands.Redrive(session));
        verbs.put("dead discard", () -> new DeadCommands.Discard(session));
        nouns.put("resources", "States of guarded resources");
        verbs.put("resources show", () -> new ResourcesCommands.Show(session));
        verbs.put("resources set", () -> new ResourcesCommands.Set(session));
        nouns.put("audit", "Who did what, and why");
        verbs.put("audit ls", () -> new AuditCommands.Ls(session));
        verbs.put("audit verify", () -> new AuditCommands.Verify(session));
        verbs.put("audit sign", () -> new AuditCommands.Sign(session));
        nouns.put("janitor", "What time brings about");
        verbs.put("janitor status", () -> new JanitorCommands.Status(session));
        verbs.put("janitor sweep", () -> new JanitorCommands.Sweep(session));
        verbs.put("acquire", () -> new LeaseCommands.Acquire(session));
        verbs.put("renew", () -> new LeaseCommands.Renew(session));
        verbs.put("release", () -> new LeaseCommands.Release(session));
        nouns.put("keys", "API keys of a server");
        verbs.put("keys create", () -> new KeysCommands.Create(session));
        verbs.put("keys ls", () -> new KeysCommands.Ls(session));
        verbs.put("keys revoke", () -> new KeysCommands.Revoke(session));
        nouns.put("store", "The care of a store");
        verbs.put("store migrate", () -> new StoreCommands.Migrate(session));
        verbs.put("store bump-epoch", () -> new StoreCommands.BumpEpoch(session));
        verbs.put("worker", () -> new WorkerCommand(session));
        verbs.put("doctor", () -> new DoctorCommand(session));
        nouns.put("config", "The configuration of servers and workers");
        verbs.put("config show", () -> new ConfigCommand(session));
        verbs.put("completion", () -> new CompletionCommand(session, this::whole));
        verbs.put("version", () -> new VersionCommand(session));
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
        Supplier<Object> verb = verbs.get(name);
        if (verb != null) {
            return root.addSubcommand(name, withHelp(new CommandLine(verb.get())));
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
                        first, nouns.containsKey(first) ? noun(first, "") : withHelp(new CommandLine(verb.get())));
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
                    CommandLine each = withHelp(new CommandLine(verb.get()));
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
}
