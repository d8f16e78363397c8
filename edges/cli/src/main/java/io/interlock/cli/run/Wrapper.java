package io.interlock.cli.run;

import io.interlock.InterlockException;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.run.Narrator.Waiting;
import io.interlock.cli.run.RunFile.Reports;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.LockText;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Shown.ShellWords;
import io.interlock.cli.text.Times;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.engine.command.GuardedProcess.CannotExecuteException;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.command.ProcessLaunch;
import io.interlock.engine.command.ProcessSignal;
import io.interlock.run.Ending;
import io.interlock.run.RunError;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Gets the key, runs the command, gives the key back, and says as which exit code it ended. */
public final class Wrapper {

    /** Says to commands within the command what they do not see. */
    private static final String WITHHELD = "INTERLOCK_WITHHELD";

    private static final String STORE = "INTERLOCK_STORE";

    /** The code of a run that a signal ended. */
    static final String INTERRUPTED = "INTERRUPTED";

    private final RunSettings settings;
    private final Narrator narrator;
    private final Environment environment;
    private final Map<String, String> variables;
    private final Signals signals;
    private volatile boolean waits;

    public Wrapper(RunSettings settings, Narrator narrator, Environment environment, Map<String, String> variables) {
        this.settings = settings;
        this.narrator = narrator;
        this.environment = environment;
        this.variables = variables;
        this.signals = Signals.catchAll(environment.ticker());
        ProcessSignal.handle("TSTP", this::goOn);
    }

    // A stopped process sends no heartbeats; and the command, which has a session of its own, would not stop with it.
    private void goOn() {
        narrator.say(
                "kept-going",
                Facts.with("key", key()),
                "Ctrl-Z does nothing here: the " + (waits ? "place in line" : "lease")
                        + " would be lost meanwhile. Ctrl-C ends it",
                List.of());
    }

    public int run(KeyAcquirer acquirer) {
        try {
            // A typo is reported before a long wait, not after it.
            GuardedProcess.check(ProcessLaunch.of(settings.command()));
        } catch (CannotExecuteException cannot) {
            throw new Failure(cannot.exitCode(), String.valueOf(cannot.getMessage()), null);
        }
        tellWhatIsWithheld();
        Entry entry = acquirer.enter(settings.order());
        if (entry instanceof Entry.Busy busy) {
            return refused(busy.lock(), busy.code(), busy.explanation());
        }
        if (entry instanceof Entry.InLine line) {
            return waitAndWork(line.place());
        }
        return work(((Entry.Granted) entry).held(), Duration.ZERO);
    }

    /** Our own are of no use to a command; that others are missing must not be a riddle. */
    private void tellWhatIsWithheld() {
        List<String> withheld = variables.keySet().stream()
                .filter(name ->
                        !name.startsWith("INTERLOCK_") && !settings.inherited().sees(name))
                .sorted()
                .toList();
        if (!withheld.isEmpty()) {
            narrator.say(
                    "withheld",
                    Facts.with("key", key()).and("variables", withheld),
                    "the command does not see " + String.join(", ", withheld)
                            + ", which may hold secrets; --pass-env NAME passes one on",
                    List.of());
        }
    }

    private int waitAndWork(Place place) {
        HeldKey held;
        Duration waited;
        waits = true;
        try (Waiting waiting = Waiting.begin(place, key(), narrator, environment)) {
            Entry outcome = signals.interrupting(place::take);
            waited = waiting.waited();
            if (outcome instanceof Entry.Busy over) {
                waiting.close();
                return over(place, over, waited);
            }
            held = ((Entry.Granted) outcome).held();
        } catch (InterruptedException told) {
            return left(place, signals.received().orElse(GuardedProcess.Signal.INT));
        }
        waits = false;
        return work(held, waited);
    }

    private int left(Place place, GuardedProcess.Signal signal) {
        Facts facts = Facts.with("key", key());
        try {
            place.leave();
            narrator.say("left", facts, "left the line of " + key(), List.of());
        } catch (InterlockException untold) {
            narrator.say("left", facts, "left the line of " + key() + "; its place there ends by itself", List.of());
        }
        return finished(false, Signals.exitCode(signal));
    }

    private int over(Place place, Entry.Busy over, Duration waited) {
        if (over.code().equals("WAIT_EXPIRED")) {
            Facts lock = KeyAcquirer.lock(() -> place.look().lock());
            return refused(lock, "wait-expired", "waited " + Times.span(waited) + " in vain");
        }
        return refused(Facts.none(), over.code().toLowerCase(Locale.ROOT).replace('_', '-'), over.explanation());
    }

    /** Says that the key was not acquired: who has it, and what to type next. */
    private int refused(Facts lock, String code, String told) {
        String explanation = Shown.sentence(Facts.with("key", key()).and("explanation", told));
        Facts facts = Facts.with("key", key())
                .and("code", code)
                .and("explanation", told)
                .and("lock", lock.isEmpty() ? null : lock);
        if (settings.busyExitCode() == ExitCode.OK) {
            narrator.mention("skipped", facts, explanation + "; " + program() + " was skipped.");
            return finished(false, ExitCode.OK);
        }
        LockText text = new LockText(lock, environment.clock().instant());
        List<String> lines = new ArrayList<>();
        String first = explanation + "; " + program() + " was not started.";
        if (text.isHeld()) {
            lines.addAll(text.facts());
            first = key() + " is held; " + program() + " was not started.";
        }
        lines.add("wait for it     " + next(List.of("run", "-w", "30m"), settings.command()));
        lines.add("look            " + next(List.of("locks", "show"), List.of()));
        narrator.say("busy", facts, first + " [" + code + "]", lines);
        return finished(false, settings.busyExitCode());
    }

    /** What to type next, at the same place. */
    private String next(List<String> verb, List<String> program) {
        List<String> words = new ArrayList<>(List.of("interlock"));
        words.addAll(verb);
        words.addAll(settings.place());
        words.add(key());
        if (!program.isEmpty()) {
            words.add("--");
            words.addAll(program);
        }
        return ShellWords.join(words);
    }

    private int work(HeldKey held, Duration waited) {
        Facts facts = Facts.with("key", key())
                .and("runId", held.runId())
                .and("token", held.token())
                .and("waited", waited);
        String sentence = "acquired " + key() + " · run " + held.runId() + " · token " + held.token() + " · waited "
                + Times.span(waited);
        if (waited.isZero()) {
            narrator.mention("acquired", facts, sentence);
        } else {
            narrator.say("acquired", facts, sentence, List.of());
        }
        Optional<GuardedProcess.Signal> early = signals.received();
        if (early.isPresent()) {
            String why = "stopped by SIG" + early.get() + " before it began";
            held.finish(new Ending.Aborted(new RunError(INTERRUPTED, why)));
            return finished(false, Signals.exitCode(early.get()));
        }
        try (RunFile file = RunFile.create(settings.order().key(), held, variables)) {
            return supervised(held, file);
        } catch (CannotExecuteException cannot) {
            notStarted(held, "COMMAND_NOT_EXECUTABLE", String.valueOf(cannot.getMessage()));
            throw new Failure(cannot.exitCode(), String.valueOf(cannot.getMessage()), null);
        } catch (IOException cannot) {
            notStarted(held, "COMMAND_NOT_STARTED", String.valueOf(cannot.getMessage()));
            throw new Failure(
                    ExitCode.INTERNAL,
                    program() + " could not be started: " + cannot.getMessage(),
                    "see whether the machine has memory, processes and space in its temporary folder left");
        }
    }

    private int supervised(HeldKey held, RunFile file) throws IOException {
        ProcessLaunch launch = ProcessLaunch.of(settings.command())
                .redirects(stdinOfCommand(), Redirect.INHERIT, Redirect.INHERIT)
                .environment(environment(held, file))
                .life(Supervision.life(settings, held));
        try (GuardedProcess process = GuardedProcess.start(launch, environment);
                Timers deadlines = environment.timers("interlock-supervision");
                Timers looks = environment.timers("interlock-reports")) {
            process.bequeath(file.path());
            Reports reports = new Reports(file, held, looks);
            reports.start();
            Supervision supervision = new Supervision(settings, process, deadlines, narrator);
            supervision.watch(held, signals);
            Supervision.Ended ended = supervision.await(held, signals);
            reports.close();
            // From here on the guard no longer sees to it, and the store may be slow.
            file.close();
            return settle(held, ended);
        }
    }

    private int settle(HeldKey held, Supervision.Ended ended) {
        Optional<HeldKey.Stop> trouble = held.finish(ended.ending());
        int code = ended.exitCode();
        if (trouble.isPresent() && !ended.lost()) {
            HeldKey.Stop stop = trouble.get();
            boolean lost = stop.kind() == HeldKey.Stop.Kind.LOST;
            if (lost && settings.onLost() != RunSettings.OnLost.WARN) {
                code = ExitCode.LEASE_LOST;
            }
            narrator.say(
                    lost ? "lost" : "untold",
                    Facts.with("key", key()).and("why", stop.why()),
                    lost
                            ? "LEASE LOST for " + key() + " before " + program() + " ended: " + stop.why()
                            : program() + " ended, and the store could not be told: " + stop.why(),
                    List.of(
                            lost
                                    ? "Its own exit code was " + ended.exit().code() + "; another run may have started."
                                    : "The key becomes free when the lease ends."));
        }
        return finished(true, code);
    }

    private int finished(boolean ran, int code) {
        narrator.note("finished", Facts.with("key", key()).and("ran", ran).and("exitCode", code));
        return code;
    }

    private void notStarted(HeldKey held, String code, String message) {
        held.finish(new Ending.Failed(new RunError(code, message), false, null));
    }

    private Map<String, String> environment(HeldKey held, RunFile file) {
        Map<String, String> child = settings.inherited().of(variables);
        if (variables.containsKey(STORE) && !child.containsKey(STORE)) {
            // Without it, a command within the command would take its leases elsewhere, and nothing would tell.
            child.put(WITHHELD, STORE);
        }
        child.put("INTERLOCK_TENANT", settings.order().key().tenant());
        child.put("INTERLOCK_KEY", key());
        child.put("INTERLOCK_RUN_ID", held.runId());
        child.put("INTERLOCK_TOKEN", Long.toString(held.token()));
        child.put(RunFile.VARIABLE, file.path().toString());
        return child;
    }

    private String key() {
        return settings.key();
    }

    private String program() {
        return settings.program();
    }

    private static final Path OPEN = Path.of("/proc/self/fd");

    /**
     * Where the command's input comes from. If ours was closed, its number is that of the first file the JVM has opened, which is
     * not meant as input.
     */
    private static Redirect stdinOfCommand() {
        return isFileOfTheJvm() ? Redirect.from(new File("/dev/null")) : Redirect.INHERIT;
    }

    // One that was given to us the JVM has opened once more.
    private static boolean isOpenOnce(Path input) throws IOException {
        try (Stream<Path> open = Files.list(OPEN)) {
            return open.filter(each -> isOpen(each, input)).count() == 1;
        }
    }

    private static boolean isOpen(Path descriptor, Path file) {
        try {
            return Files.isSameFile(descriptor, file);
        } catch (IOException closed) {
            return false;
        }
    }

    private static boolean isFileOfTheJvm() {
        try {
            Path input = OPEN.resolve("0").toRealPath();
            return (input.startsWith(Path.of(System.getProperty("java.home")).toRealPath())
                            || List.of(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
                                    .contains(input.toString()))
                    && isOpenOnce(input);
        } catch (IOException noFile) {
            return false;
        }
    }

    /**
     * What {@code interlock run} was told.
     *
     * @param place the options that lead to the same store or server
     * @param timeout how long the command may take, or {@code null} for ever
     * @param inherited which variables of this process the command sees
     * @param busyExitCode the exit code if the key is not acquired; 0 if the command is skipped then
     */
    public record RunSettings(
            KeyAcquirer.Request order,
            List<String> command,
            List<String> place,
            OnLost onLost,
            @Nullable Duration timeout,
            InheritedEnvironment inherited,
            int busyExitCode) {

        public RunSettings {
            command = List.copyOf(command);
            place = List.copyOf(place);
        }

        String key() {
            return order.key().name();
        }

        String program() {
            return order.program();
        }

        /** What happens to the command when the lease is lost. */
        public enum OnLost {
            /** It gets TERM, and KILL if it does not end. */
            TERM,
            KILL,
            /** It goes on, at the risk of the user. */
            WARN
        }
    }
}
