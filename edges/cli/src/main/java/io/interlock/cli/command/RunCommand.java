package io.interlock.cli.command;

import static io.interlock.cli.command.OptionValues.HandBuilt.flag;
import static io.interlock.cli.command.OptionValues.HandBuilt.isSet;
import static io.interlock.cli.command.OptionValues.HandBuilt.text;
import static io.interlock.cli.command.OptionValues.HandBuilt.value;
import static io.interlock.cli.command.OptionValues.HandBuilt.valueOr;
import static io.interlock.cli.command.OptionValues.HandBuilt.valued;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.command.OptionValues.Durations;
import io.interlock.cli.run.Narrator;
import io.interlock.cli.run.Wrapper;
import io.interlock.cli.run.Wrapper.RunSettings;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.run.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code interlock run KEY [options] -- COMMAND [ARG…]}. */
public final class RunCommand extends CliCommand {

    private static final Duration MARGIN = Duration.ofSeconds(5);
    private static final int LAST_CODE = 255;
    private static final OptionValues IF_BUSY = new OptionValues("fail", "skip");
    private static final OptionValues ON_LOST = new OptionValues("term", "kill", "warn");

    private static final String[] FOOTER = {
        "",
        "stdin, stdout and stderr belong to the command, which sees INTERLOCK_KEY,",
        "INTERLOCK_TENANT, INTERLOCK_RUN_ID, INTERLOCK_TOKEN, INTERLOCK_RUN_FILE.",
        "It does not see INTERLOCK_API_KEY, INTERLOCK_STORE, PGPASSWORD or secrets of",
        "AWS: --pass-env passes one on.",
        "",
        "It ends with the command's own exit code, or with",
        "   64 usage             69 store unreachable   75 not acquired",
        "   77 not allowed       78 configuration      121 lease lost",
        "  124 timeout          125 Interlock failed   126 cannot be executed",
        "  127 not found      128+N ended by signal N",
        "",
        "Examples:",
        "  interlock run -n nightly-close -- ./close.sh      # busy: exit 75, and who",
        "  interlock run -w 10m ledger/4711 --reason \"month end\" -- ./close.sh",
        "  interlock run --if-busy skip report -- make all   # for cron: busy is fine"
    };

    private final List<String> command;
    private final TargetOptions target = new TargetOptions();

    private final PositionalParamSpec key = PositionalParamSpec.builder()
            .index("0")
            .required(true)
            .type(String.class)
            .paramLabel("KEY")
            .description("The key, as in ledger/4711")
            .build();
    private final OptionSpec noWait = flag("Do not wait if the key is held", "-n", "--no-wait");
    private final OptionSpec wait = text("DURATION", "Wait at most this long: 30s, 5m, 2h, PT5M", "-w", "--wait");
    private final OptionSpec ifBusy = valued("fail|skip", "skip: busy is no error, exit 0 (default: fail)", "--if-busy")
            .completionCandidates(IF_BUSY)
            .build();
    private final OptionSpec busyExitCode = valued(
                    "N", "Exit code if the key is not acquired (default: 75)", "-E", "--busy-exit-code")
            .type(int.class)
            .build();
    private final OptionSpec lease =
            text("DURATION", "How long the lease lives without a heartbeat (default: 30s)", "--lease");
    private final OptionSpec onLost = valued(
                    "ACTION",
                    "What happens to the command when the lease is lost: term, kill or warn (default: term)",
                    "--on-lost")
            .completionCandidates(ON_LOST)
            .build();
    private final OptionSpec grace =
            text("DURATION", "How long it may take to stop before it is killed (default: 10s)", "--grace");
    private final OptionSpec timeout =
            text("DURATION", "Stop the command after this long, exit 124", "-t", "--timeout");
    private final OptionSpec reason = text("TEXT", "Shown to those that wait", "--reason");
    private final OptionSpec priority = valued(
                    "N", "From -100 to 100, the higher goes first (default: 0)", "--priority")
            .type(int.class)
            .build();
    private final OptionSpec labels = valued("K=V", "For people; may be repeated", "--label")
            .type(Map.class)
            .auxiliaryTypes(String.class, String.class)
            .build();
    private final OptionSpec job = text("NAME", "What the run is called on record (default: command)", "--job");
    private final OptionSpec passedVariables = valued(
                    "NAME",
                    "A variable that the command is to see though it may hold a secret, as AWS_*; may be repeated",
                    "--pass-env")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .splitRegex(",")
            .build();
    private final OptionSpec json = flag("Own messages as JSON lines on stderr", "--json");

    /** Runs {@code command}, the words behind {@code --}. */
    public RunCommand(List<String> command) {
        this.command = List.copyOf(command);
    }

    @Override
    public CommandLine line() {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(this)
                .addPositional(key)
                .addOption(noWait)
                .addOption(wait)
                .addOption(ifBusy)
                .addOption(busyExitCode)
                .addOption(lease)
                .addOption(onLost)
                .addOption(grace)
                .addOption(timeout)
                .addOption(reason)
                .addOption(priority)
                .addOption(labels)
                .addOption(job)
                .addOption(passedVariables)
                .addOption(json)
                .addMixin("target", target.spec());
        spec.usageMessage()
                .description("Runs a command while no other command runs under the same key: a distributed flock(1).")
                .customSynopsis("interlock run KEY [options] -- COMMAND [ARG...]")
                .sortOptions(false)
                .footer(FOOTER);
        return new CommandLine(spec);
    }

    @Override
    public Integer call() {
        RunSettings settings = settings();
        Narrator narrator = new Narrator(console(), isSet(json), target.verbosity() > 0);
        // The engine keeps the lease alive for as long as the command may take to stop.
        Job kind = Job.named(jobName())
                .grace(settings.order().grace().plus(MARGIN))
                .build();
        Wrapper wrapper = new Wrapper(
                settings, narrator, session().environment(), session().variables());
        try (Backend backend = target.open(session(), Jobs.of(kind), Retention.DEFAULT)) {
            return wrapper.run(backend.acquirer());
        }
    }

    private RunSettings settings() {
        if (command.isEmpty()) {
            throw Failure.usage(
                    "there is no command to run", "write it behind --, as in: interlock run KEY -- ./close.sh");
        }
        boolean skip = IF_BUSY.choose("--if-busy", valueOr(ifBusy, "fail")).equals("skip");
        int busyCode = valueOr(busyExitCode, ExitCode.BUSY);
        if (busyCode < 0 || busyCode > LAST_CODE) {
            throw Failure.usage("--busy-exit-code '" + busyCode + "' is none", "choose one from 0 to " + LAST_CODE);
        }
        KeyAcquirer.Request order = new KeyAcquirer.Request(
                target.key(valueOr(key, "")),
                jobName(),
                whenBusy(skip),
                duration(wait, Duration.ZERO),
                Durations.parse("--lease", valueOr(lease, "30s"), Duration.ofSeconds(2)),
                Durations.parse("--grace", valueOr(grace, "10s"), Duration.ZERO),
                valueOr(priority, 0),
                value(reason, String.class),
                valueOr(labels, Map.of()),
                command.get(0));
        return new RunSettings(
                order,
                command,
                target.typed(),
                RunSettings.OnLost.valueOf(
                        ON_LOST.choose("--on-lost", valueOr(onLost, "term")).toUpperCase(Locale.ROOT)),
                duration(timeout, Duration.ofMillis(1)),
                inherited(),
                skip ? ExitCode.OK : busyCode);
    }

    private String jobName() {
        return valueOr(job, "command");
    }

    private static @Nullable Duration duration(OptionSpec option, Duration least) {
        String text = value(option, String.class);
        return text == null ? null : Durations.parse(option.longestName(), text, least);
    }

    private InheritedEnvironment inherited() {
        List<String> passed = valueOr(passedVariables, List.of());
        try {
            // Where the server is, is no secret, and leads commands within the command to the same place.
            return InheritedEnvironment.ALL
                    .allowing(Set.of("INTERLOCK_SERVER", "INTERLOCK_CACERT"))
                    .allowing(Set.copyOf(passed));
        } catch (InvalidSettingException invalid) {
            throw Failure.usage(
                    "--pass-env has what is no name of a variable: " + String.join(", ", passed),
                    "write letters, digits and _, or such a beginning with * behind it, as AWS_*");
        }
    }

    private ConflictPolicy whenBusy(boolean skip) {
        boolean waits = value(wait, String.class) != null;
        if (isSet(noWait) && waits) {
            throw Failure.usage("--no-wait and --wait contradict each other", "leave one of them out");
        }
        if (waits) {
            return ConflictPolicy.QUEUE;
        }
        if (isSet(noWait) || skip) {
            return skip ? ConflictPolicy.SKIP : ConflictPolicy.REJECT;
        }
        if (!console().hasErrorTerminal()) {
            throw Failure.usage(
                    "stderr is not a terminal, and neither --no-wait nor --wait is given",
                    "add -n (do not wait) or -w DURATION (wait at most that long)");
        }
        return ConflictPolicy.QUEUE;
    }
}
