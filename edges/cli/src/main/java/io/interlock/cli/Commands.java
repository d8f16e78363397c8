package io.interlock.cli;

import io.interlock.NearestWord;
import io.interlock.cli.command.AuditCommands;
import io.interlock.cli.command.CliCommand;
import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.command.CompletionCommand;
import io.interlock.cli.command.ConfigCommand;
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
import io.interlock.cli.command.TopCommand;
import io.interlock.cli.command.WorkerCommand;
import io.interlock.cli.text.Failure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * All commands by name. Only the one that is asked for is built, because building the others would take longer than running it.
 */
final class Commands {

    /** Programs of their own that the same script starts. */
    private static final Map<String, String> PROGRAMS = Map.of(
            "server", "Starts a server: REST, the admin UI, and a worker.",
            "demo", "Starts a server with sample data, and prints its links.");

    private static final List<String> VERBS =
            List.of(("run,stage,progress,locks ls,locks show,locks evict,locks pause,locks resume,runs ls,"
                            + "runs show,runs watch,runs logs,runs submit,runs rerun,runs cancel,runs front,jobs ls,queue ls,"
                            + "dead ls,dead show,dead redrive,dead discard,resources show,resources set,audit ls,"
                            + "audit verify,audit sign,janitor status,janitor sweep,acquire,renew,release,keys create,"
                            + "keys ls,keys revoke,store migrate,store bump-epoch,top,worker,doctor,config show,completion,"
                            + "version")
                    .split(",", -1));

    private final Map<String, String> nouns = new LinkedHashMap<>();
    private final CommandContext session;
    private final List<String> command;

    Commands(CommandContext session, List<String> command) {
        this.session = session;
        this.command = command;
        nouns.put("locks", "Locks: holders, evictions, pauses");
        nouns.put("runs", "Runs: past, present and queued");
        nouns.put("jobs", "Jobs of a configuration");
        nouns.put("queue", "Queued runs");
        nouns.put("dead", "Dead letters: runs whose attempts are used up");
        nouns.put("resources", "States of guarded resources");
        nouns.put("audit", "The audit log");
        nouns.put("janitor", "Expired leases and lost runs");
        nouns.put("keys", "API keys of a server");
        nouns.put("store", "Maintenance of a store");
        nouns.put("config", "The configuration of servers and workers");
    }

    // Neither suppliers nor a type but Object: linking fifty lambdas, or loading fifty classes to verify that each is a
    // command, would slow every start.
    private CommandLine line(String verb) {
        Object made = switch (verb) {
            case "run" -> new RunCommand(command);
            case "stage" -> new ReportCommands.Stage();
            case "progress" -> new ReportCommands.Progress();
            case "locks ls" -> new LocksCommands.Ls();
            case "locks show" -> new LocksCommands.Show();
            case "locks evict" -> new LocksCommands.Evict();
            case "locks pause" -> new LocksCommands.Pause();
            case "locks resume" -> new LocksCommands.Resume();
            case "runs ls" -> new RunsCommands.Ls();
            case "runs show" -> new RunsCommands.Show();
            case "runs watch" -> new RunsCommands.Watch();
            case "runs logs" -> new RunsCommands.Logs();
            case "runs submit" -> new RunsCommands.Submit();
            case "runs rerun" -> new RunsCommands.Rerun();
            case "runs front" -> new RunsCommands.Front();
            case "runs cancel" -> new RunsCommands.Cancel();
            case "jobs ls" -> new JobsCommand();
            case "queue ls" -> new RunsCommands.Queue();
            case "dead ls" -> new RunsCommands.LsDead();
            case "dead show" -> new RunsCommands.Show();
            case "dead redrive" -> new RunsCommands.Redrive();
            case "dead discard" -> new RunsCommands.Discard();
            case "resources show" -> new ResourcesCommands.Show();
            case "resources set" -> new ResourcesCommands.Set();
            case "audit ls" -> new AuditCommands.Ls();
            case "audit verify" -> new AuditCommands.Verify();
            case "audit sign" -> new AuditCommands.Sign();
            case "janitor status" -> new JanitorCommands.Status();
            case "janitor sweep" -> new JanitorCommands.Sweep();
            case "acquire" -> new LeaseCommands.Acquire();
            case "renew" -> new LeaseCommands.Renew();
            case "release" -> new LeaseCommands.Release();
            case "keys create" -> new KeysCommands.Create();
            case "keys ls" -> new KeysCommands.Ls();
            case "keys revoke" -> new KeysCommands.Revoke();
            case "store migrate" -> new StoreCommands.Migrate();
            case "store bump-epoch" -> new StoreCommands.BumpEpoch();
            case "top" -> new TopCommand();
            case "worker" -> new WorkerCommand();
            case "doctor" -> new DoctorCommand();
            case "config show" -> new ConfigCommand();
            case "completion" -> new CompletionCommand(this::whole);
            case "version" -> new CompletionCommand.Version();
            default -> throw new IllegalStateException(verb);
        };
        CommandLine line = ((CliCommand) made).in(session).line();
        line.getCommandSpec().name(verb.substring(verb.indexOf(' ') + 1));
        return withHelp(line);
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
        CommandLine root = withHelp(Root.line());
        if (VERBS.contains(name)) {
            return root.addSubcommand(name, line(name));
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
            VERBS.stream().filter(each -> !each.contains(" ")).forEach(known::add);
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
        return VERBS.contains(noun + " " + (word.equals("list") ? "ls" : word));
    }

    private static Failure misplaced(String option) {
        return Failure.usage(
                "options stand behind the command, and '" + option + "' stands before it",
                "as in: interlock runs ls --store sqlite:PATH");
    }

    /** All commands: for help, and for completion. */
    CommandLine whole() {
        CommandLine root = withHelp(Root.line());
        VERBS.forEach(name -> {
            String first = name.replaceFirst(" .*", "");
            if (!root.getSubcommands().containsKey(first)) {
                root.addSubcommand(first, nouns.containsKey(first) ? noun(first, "") : line(name));
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
        VERBS.forEach(name -> {
            if (name.startsWith(noun + " ")) {
                String verbName = name.substring(noun.length() + 1);
                known.add(verbName);
                if (wanted.isEmpty() || wanted.equals(verbName)) {
                    CommandLine each = line(name);
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

    /** What is carried out if there is no other command: help. It has no annotations, because reading them would slow every start. */
    private static final class Root implements Callable<Integer> {

        private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("interlock");

        static CommandLine line() {
            CommandSpec spec = new Root().spec;
            spec.usageMessage()
                    .description("One execution per key at a time, across threads, processes and machines.")
                    .synopsisSubcommandLabel("COMMAND")
                    .footer(
                            "",
                            "interlock COMMAND --help shows options and examples.",
                            "",
                            "Examples:",
                            "  interlock run -w 10m ledger/4711 -- ./close.sh",
                            "  interlock locks show ledger/4711",
                            "  interlock runs ls --state RUNNING");
            return new CommandLine(spec);
        }

        @Override
        public Integer call() {
            spec.commandLine().usage(spec.commandLine().getOut());
            return 0;
        }
    }
}
