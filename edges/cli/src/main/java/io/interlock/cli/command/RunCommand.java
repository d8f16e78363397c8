package io.interlock.cli.command;

import io.interlock.InvalidSettingException;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.backend.KeyAcquirer.Request.IfBusy;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock run KEY [options] -- COMMAND [ARG…]}. */
@Command(
        name = "run",
        description = "Runs a command while no other command runs under the same key: a distributed flock(1).",
        customSynopsis = "interlock run KEY [options] -- COMMAND [ARG...]",
        sortOptions = false,
        footer = {
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
        })
public final class RunCommand extends CliCommand {

    private static final Duration MARGIN = Duration.ofSeconds(5);
    private static final int LAST_CODE = 255;

    private final List<String> command;

    @Parameters(index = "0", paramLabel = "KEY", description = "The key, as in ledger/4711")
    private String key = "";

    @Option(
            names = {"-n", "--no-wait"},
            description = "Do not wait if the key is held")
    private boolean noWait;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "DURATION",
            description = "Wait at most this long: 30s, 5m, 2h, PT5M")
    private @Nullable String wait;

    @Option(
            names = "--if-busy",
            paramLabel = "fail|skip",
            completionCandidates = OptionValues.IfBusy.class,
            description = "skip: busy is no error, exit 0 (default: fail)")
    private String ifBusy = "fail";

    @Option(
            names = {"-E", "--busy-exit-code"},
            paramLabel = "N",
            description = "Exit code if the key is not acquired (default: 75)")
    private int busyExitCode = ExitCode.BUSY;

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            description = "How long the lease lives without a heartbeat (default: 30s)")
    private String lease = "30s";

    @Option(
            names = "--on-lost",
            paramLabel = "ACTION",
            completionCandidates = OptionValues.OnLost.class,
            description = "What happens to the command when the lease is lost: term, kill or warn (default: term)")
    private String onLost = "term";

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            description = "How long it may take to stop before it is killed (default: 10s)")
    private String grace = "10s";

    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "DURATION",
            description = "Stop the command after this long, exit 124")
    private @Nullable String timeout;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Shown to those that wait")
    private @Nullable String reason;

    @Option(
            names = "--priority",
            paramLabel = "N",
            description = "From -100 to 100, the higher goes first (default: 0)")
    private int priority;

    @Option(names = "--label", paramLabel = "K=V", description = "For people; may be repeated")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--job", paramLabel = "NAME", description = "What the run is called on record (default: command)")
    private String job = "command";

    @Option(
            names = "--pass-env",
            paramLabel = "NAME",
            split = ",",
            description =
                    "A variable that the command is to see though it may hold a secret, as AWS_*; may be repeated")
    private List<String> passedVariables = new ArrayList<>();

    @Option(names = "--json", description = "Own messages as JSON lines on stderr")
    private boolean json;

    @Mixin
    private TargetOptions target = new TargetOptions();

    /** Runs {@code command}, the words behind {@code --}. */
    public RunCommand(List<String> command) {
        this.command = List.copyOf(command);
    }

    @Override
    public Integer call() {
        RunSettings settings = settings();
        Narrator narrator = new Narrator(console(), json, target.verbosity() > 0);
        // The engine keeps the lease alive for as long as the command may take to stop.
        Job kind = Job.named(job).grace(settings.order().grace().plus(MARGIN)).build();
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
        boolean skip = new OptionValues.IfBusy().choose("--if-busy", ifBusy).equals("skip");
        if (busyExitCode < 0 || busyExitCode > LAST_CODE) {
            throw Failure.usage("--busy-exit-code '" + busyExitCode + "' is none", "choose one from 0 to " + LAST_CODE);
        }
        KeyAcquirer.Request order = new KeyAcquirer.Request(
                target.key(key),
                job,
                whenBusy(skip),
                wait == null ? null : Durations.parse("--wait", wait, Duration.ZERO),
                Durations.parse("--lease", lease, Duration.ofSeconds(2)),
                Durations.parse("--grace", grace, Duration.ZERO),
                priority,
                reason,
                labels,
                command.get(0));
        return new RunSettings(
                order,
                command,
                target.typed(),
                RunSettings.OnLost.valueOf(
                        new OptionValues.OnLost().choose("--on-lost", onLost).toUpperCase(Locale.ROOT)),
                timeout == null ? null : Durations.parse("--timeout", timeout, Duration.ofMillis(1)),
                inherited(),
                skip ? ExitCode.OK : busyExitCode);
    }

    private InheritedEnvironment inherited() {
        try {
            // Where the server is, is no secret, and leads commands within the command to the same place.
            return InheritedEnvironment.ALL
                    .allowing(Set.of("INTERLOCK_SERVER", "INTERLOCK_CACERT"))
                    .allowing(Set.copyOf(passedVariables));
        } catch (InvalidSettingException invalid) {
            throw Failure.usage(
                    "--pass-env has what is no name of a variable: " + String.join(", ", passedVariables),
                    "write letters, digits and _, or such a beginning with * behind it, as AWS_*");
        }
    }

    private IfBusy whenBusy(boolean skip) {
        if (noWait && wait != null) {
            throw Failure.usage("--no-wait and --wait contradict each other", "leave one of them out");
        }
        if (wait != null) {
            return IfBusy.WAIT;
        }
        if (noWait || skip) {
            return skip ? IfBusy.SKIP : IfBusy.FAIL;
        }
        if (!console().hasErrorTerminal()) {
            throw Failure.usage(
                    "stderr is not a terminal, and neither --no-wait nor --wait is given",
                    "add -n (do not wait) or -w DURATION (wait at most that long)");
        }
        return IfBusy.WAIT;
    }
}
