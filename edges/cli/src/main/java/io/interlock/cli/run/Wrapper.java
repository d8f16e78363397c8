package io.interlock.cli.run;

import io.interlock.StoreUnavailableException;
import io.interlock.cli.backend.Door;
import io.interlock.cli.backend.Entry;
import io.interlock.cli.backend.Place;
import io.interlock.cli.backend.Tenure;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Times;
import io.interlock.engine.command.CannotExecuteException;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.engine.command.Launch;
import io.interlock.engine.command.Signal;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Gets the key, runs the command, gives the key back, and says as which exit code it ended. */
final class Wrapper {

    /** Says to commands within the command what they do not see. */
    private static final String WITHHELD = "INTERLOCK_WITHHELD";

    private static final String STORE = "INTERLOCK_STORE";

    private final RunSettings settings;
    private final Narrator narrator;
    private final Environment environment;
    private final Map<String, String> variables;
    private final Signals signals;
    private volatile boolean waits;

    Wrapper(RunSettings settings, Narrator narrator, Environment environment, Map<String, String> variables) {
        this.settings = settings;
        this.narrator = narrator;
        this.environment = environment;
        this.variables = variables;
        this.signals = Signals.catchAll(environment.ticker());
        ProcessSignal.handle("TSTP", this::goOn);
    }

    // Whoever is stopped sends no heartbeats; and the command, which has a session of its own, would not be stopped
    // with us.
    private void goOn() {
        narrator.say(
                "kept-going",
                Facts.with("key", key()).done(),
                "Ctrl-Z does nothing here: the " + (waits ? "place in line" : "lease")
                        + " would be lost meanwhile. Ctrl-C ends it",
                List.of());
    }

    int run(Door door) {
        try {
            // Nobody wants to wait for half an hour to hear of a slip of the pen.
            GuardedProcess.check(Launch.of(settings.command()));
        } catch (CannotExecuteException cannot) {
            throw new Failure(cannot.exitCode(), String.valueOf(cannot.getMessage()), null);
        }
        tellWhatIsWithheld();
        Entry entry = door.enter(settings.order());
        if (entry instanceof Entry.Busy busy) {
            return refused(busy.lock(), busy.code(), busy.explanation());
        }
        if (entry instanceof Entry.InLine line) {
            return waitAndWork(line.place());
        }
        return work(((Entry.Granted) entry).tenure(), Duration.ZERO);
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
                    Facts.with("key", key()).and("variables", withheld).done(),
                    "the command does not see " + String.join(", ", withheld)
                            + ", which may hold secrets; --pass-env NAME passes one on",
                    List.of());
        }
    }

    private int waitAndWork(Place place) {
        Tenure tenure;
        Duration waited;
        waits = true;
        try (Waiting waiting = Waiting.begin(place, key(), narrator, environment)) {
            Place.Outcome outcome = signals.interrupting(place::take);
            waited = waiting.waited();
            if (outcome instanceof Place.Outcome.Over over) {
                waiting.close();
                return over(place, over, waited);
            }
            tenure = ((Place.Outcome.Taken) outcome).tenure();
        } catch (InterruptedException told) {
            return left(place, signals.received().orElse(Signal.INT));
        }
        waits = false;
        return work(tenure, waited);
    }

    private int left(Place place, Signal signal) {
        Facts facts = Facts.with("key", key()).done();
        try {
            place.leave();
            narrator.say("left", facts, "left the line of " + key(), List.of());
        } catch (StoreUnavailableException untold) {
            narrator.say("left", facts, "left the line of " + key() + "; its place there ends by itself", List.of());
        }
        return finished(false, Signals.exitCode(signal));
    }

    private int over(Place place, Place.Outcome.Over over, Duration waited) {
        if (over.code().equals("WAIT_EXPIRED")) {
            return refused(place.look().lock(), "wait-expired", "waited " + Times.span(waited) + " in vain");
        }
        return refused(Facts.NONE, over.code().toLowerCase(Locale.ROOT).replace('_', '-'), over.why());
    }

    private int refused(Facts lock, String code, String explanation) {
        return finished(
                false,
                new Refused(settings, narrator)
                        .say(
                                new Entry.Busy(lock, code, explanation),
                                environment.clock().instant()));
    }

    private int work(Tenure tenure, Duration waited) {
        Facts facts = Facts.with("key", key())
                .and("runId", tenure.runId())
                .and("token", tenure.token())
                .and("waited", waited)
                .done();
        String sentence = "acquired " + key() + " · run " + tenure.runId() + " · token " + tenure.token() + " · waited "
                + Times.span(waited);
        if (waited.isZero()) {
            narrator.mention("acquired", facts, sentence);
        } else {
            narrator.say("acquired", facts, sentence, List.of());
        }
        Optional<Signal> early = signals.received();
        if (early.isPresent()) {
            tenure.finish(new Tenure.Verdict(
                    Tenure.Verdict.Kind.ABORTED,
                    0,
                    "INTERRUPTED",
                    "stopped by SIG" + early.get() + " before it began"));
            return finished(false, Signals.exitCode(early.get()));
        }
        try (RunFile file = RunFile.create(settings.order().key(), tenure, variables)) {
            return supervised(tenure, file);
        } catch (CannotExecuteException cannot) {
            notStarted(tenure, "COMMAND_NOT_EXECUTABLE", String.valueOf(cannot.getMessage()));
            throw new Failure(cannot.exitCode(), String.valueOf(cannot.getMessage()), null);
        } catch (IOException cannot) {
            notStarted(tenure, "COMMAND_NOT_STARTED", String.valueOf(cannot.getMessage()));
            throw new Failure(
                    ExitCode.INTERNAL,
                    program() + " could not be started: " + cannot.getMessage(),
                    "see whether the machine has memory, processes and space in its temporary folder left");
        }
    }

    private int supervised(Tenure tenure, RunFile file) throws IOException {
        Launch launch = Launch.of(settings.command())
                .redirects(Stdin.ofCommand(), Redirect.INHERIT, Redirect.INHERIT)
                .environment(environment(tenure, file))
                .life(Supervision.life(settings, tenure));
        try (GuardedProcess process = GuardedProcess.start(launch, environment);
                Timers deadlines = environment.timers("interlock-supervision");
                Timers looks = environment.timers("interlock-reports")) {
            process.bequeath(file.path());
            Reports reports = new Reports(file, tenure, looks);
            reports.start();
            Supervision supervision = new Supervision(settings, process, deadlines, narrator);
            supervision.watch(tenure, signals);
            Supervision.Ended ended = supervision.await(tenure, signals);
            reports.close();
            // From here on the guard no longer sees to it, and the store may be slow.
            file.close();
            return settle(tenure, ended);
        }
    }

    private int settle(Tenure tenure, Supervision.Ended ended) {
        Optional<Tenure.Stop> trouble = tenure.finish(ended.verdict());
        int code = ended.exitCode();
        if (trouble.isPresent() && !ended.lost()) {
            Tenure.Stop stop = trouble.get();
            boolean lost = stop.kind() == Tenure.Stop.Kind.LOST;
            if (lost && settings.onLost() != RunSettings.OnLost.WARN) {
                code = ExitCode.LEASE_LOST;
            }
            narrator.say(
                    lost ? "lost" : "untold",
                    Facts.with("key", key()).and("why", stop.why()).done(),
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
        narrator.note(
                "finished",
                Facts.with("key", key()).and("ran", ran).and("exitCode", code).done());
        return code;
    }

    private void notStarted(Tenure tenure, String code, String message) {
        tenure.finish(new Tenure.Verdict(Tenure.Verdict.Kind.FAILED, ExitCode.INTERNAL, code, message));
    }

    private Map<String, String> environment(Tenure tenure, RunFile file) {
        Map<String, String> child = settings.inherited().of(variables);
        if (variables.containsKey(STORE) && !child.containsKey(STORE)) {
            // Without it, a command within the command would take its leases elsewhere, and nothing would tell.
            child.put(WITHHELD, STORE);
        }
        child.put("INTERLOCK_TENANT", settings.order().key().tenant());
        child.put("INTERLOCK_KEY", key());
        child.put("INTERLOCK_RUN_ID", tenure.runId());
        child.put("INTERLOCK_TOKEN", Long.toString(tenure.token()));
        child.put(RunFile.VARIABLE, file.path().toString());
        return child;
    }

    private String key() {
        return settings.key();
    }

    private String program() {
        return settings.program();
    }
}
