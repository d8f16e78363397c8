package io.interlock.cli.command;

import io.interlock.RunState;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.cli.command.CliCommand.Confirmation;
import io.interlock.cli.command.CliCommand.Listing;
import io.interlock.cli.command.CliCommand.RunListing;
import io.interlock.cli.command.CliCommand.Verb;
import io.interlock.cli.command.ConfigCommand.ConfigOptions;
import io.interlock.cli.command.OptionValues.PastTimes;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Table;
import io.interlock.client.Json;
import io.interlock.client.ProblemException;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.service.Facts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock runs …}, {@code queue …}, and {@code dead …}: runs whose attempts are used up. */
public final class RunsCommands {

    private static final String OUTPUT = "output";

    private RunsCommands() {}

    /** One run with its attempts, stages, parameters and output. */
    private static Facts show(Backend backend, String id) {
        return backend.requests().get(path(id), OUTPUT, "true");
    }

    private static Facts order(Backend backend, String order, String id, String reason) {
        return backend.requests().post(path(id) + "/" + order, Facts.with("reason", reason));
    }

    private static String path(String id) {
        if (!id.matches("[0-9A-Za-z-]{1,64}")) {
            throw Failure.unknown("there is no run called '" + id + "'", "interlock runs ls lists the runs");
        }
        return "/runs/" + id;
    }

    @Command(
            description = "Lists runs, the newest first.",
            footer = {"", "Example:", "  interlock runs ls --state RUNNING --since 2h"})
    public static final class Ls extends RunListing {

        @Option(names = "--key", paramLabel = "KEY", description = "Only under this key; PREFIX* for several")
        private @Nullable String key;

        @Option(
                names = "--state",
                paramLabel = "STATE",
                completionCandidates = OptionValues.State.class,
                description = "Only in this state: ${COMPLETION-CANDIDATES}")
        private @Nullable String state;

        @Option(names = "--job", paramLabel = "JOB", description = "Only of this job")
        private @Nullable String job;

        @Option(names = "--holder", paramLabel = "NAME", description = "Only those whose last attempt had this holder")
        private @Nullable String holder;

        @Option(names = "--label", paramLabel = "NAME=VALUE", description = "Only with this label")
        private @Nullable String label;

        @Option(names = "--error", paramLabel = "CODE", description = "Only those that failed with this error code")
        private @Nullable String error;

        @Option(
                names = "--since",
                paramLabel = "TIME",
                description = "Only those submitted since: 2h, 7d or a time in UTC")
        private @Nullable String since;

        @Option(
                names = "--failed-since",
                paramLabel = "TIME",
                description = "Only those that failed since: 2h, 7d or a time in UTC")
        private @Nullable String failedSince;

        @Override
        List<Facts> items(Backend backend) {
            String wanted = state == null ? null : new OptionValues.State().choose("--state", state);
            if (label != null && label.indexOf('=') < 1) {
                throw Failure.usage("--label '" + label + "' is not NAME=VALUE", "write for example team=finance");
            }
            Facts filter = Facts.with("key", key)
                    .and("state", wanted)
                    .and("job", job)
                    .and("holder", holder)
                    .and("label", label)
                    .and("error", error)
                    .and("since", PastTimes.optional("--since", since))
                    .and("failedSince", PastTimes.optional("--failed-since", failedSince));
            return backend.requests().items(most(), "/runs", query(filter));
        }

        @Override
        String none() {
            return "there are no such runs; interlock run KEY -- COMMAND makes one";
        }
    }

    @Command(
            description = "Shows a run: where it stands and why, its attempts, stages and output.",
            footer = {"", "Example:", "  interlock runs show 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10"})
    public static final class Show extends Answering {

        @Parameters(paramLabel = "ID", description = "The run")
        private String id = "";

        @Override
        int carryOut(Backend backend) {
            Facts run = show(backend, id);
            if (!json()) {
                // That of the last attempt stands below all else; runs logs --attempt prints the others.
                run.list("attempts").forEach(attempt -> attempt.map().remove(OUTPUT));
            }
            answer(run);
            return 0;
        }
    }

    @Command(
            description = "Follows a run until it has ended. Exit code 0 if it succeeded, else 1.",
            footer = {
                "",
                "With --json each change is one line.",
                "",
                "Example:",
                "  interlock runs watch 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10"
            })
    public static final class Watch extends Verb {

        private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
        private static final int PIPE = 13;

        @Parameters(paramLabel = "ID", description = "The run")
        private String id = "";

        @Option(names = "--json", description = "Answer in JSON lines")
        private boolean json;

        @Override
        int carryOut(Backend backend) throws InterruptedException {
            String before = "";
            for (Facts run = show(backend, id); ; run = backend.requests().getWithin(LOOK_EVERY, path(id))) {
                String state = run.shown("state");
                String now = state + " " + run.shown("stage") + " " + Json.line(run.in("progress"));
                if (!now.equals(before)) {
                    console().print(json ? Json.line(run) : Shown.sentence(run));
                    if (!console().flush()) {
                        return ExitCode.SIGNAL + PIPE;
                    }
                }
                before = now;
                // By its end: a later server may have states that are unknown here.
                if (run.text("endedAt").isPresent()) {
                    return state.equals("SUCCEEDED") ? ExitCode.OK : ExitCode.FAILED;
                }
            }
        }
    }

    @Command(
            description = "Prints the end of the output of a run, as far as it was kept.",
            footer = {
                "",
                "Of a run with several attempts, the output of the last 10 is kept.",
                "",
                "Examples:",
                "  interlock runs logs 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10",
                "  interlock runs logs 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10 --attempt 1"
            })
    public static final class Logs extends Verb {

        @Parameters(paramLabel = "ID", description = "The run")
        private String id = "";

        @Option(
                names = "--raw",
                description = "As it was written, control characters of terminals included (default: shown as text)")
        private boolean raw;

        @Option(
                names = "--attempt",
                paramLabel = "N",
                description = "Of this attempt (default: the last that wrote some)")
        private @Nullable Integer attempt;

        @Override
        int carryOut(Backend backend) {
            Facts run = show(backend, id);
            Optional<String> text =
                    attempt == null ? run.text(OUTPUT) : ofAttempt(run, attempt).text(OUTPUT);
            text.ifPresentOrElse(
                    raw ? console()::printRaw : console()::print,
                    () -> console()
                            .say("no output of "
                                    + (attempt == null ? "" : "attempt " + attempt + " of ")
                                    + "run " + id + " was kept"));
            return 0;
        }

        private static Facts ofAttempt(Facts run, int number) {
            List<Facts> attempts = run.list("attempts");
            return attempts.stream()
                    .filter(each -> each.number("attempt").orElse(0) == number)
                    .findFirst()
                    .orElseThrow(() -> Failure.unknown(
                            "run " + run.shown("id") + " has no attempt " + number,
                            attempts.isEmpty() ? "it has not begun yet" : "choose one of 1 to " + attempts.size()));
        }
    }

    @Command(
            description = "Submits the same work once more, as a new run.",
            footer = {"", "Example:", "  interlock runs rerun 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10"})
    public static final class Rerun extends Answering {

        @Parameters(paramLabel = "ID", description = "The run")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why")
        private String reason = "run again by hand";

        @Override
        int carryOut(Backend backend) {
            Facts run = show(backend, id);
            if (run.shown("execution").equals("caller")) {
                throw new Failure(
                        ExitCode.FAILED,
                        "run " + id + " was done by its caller, and only the caller can do it again",
                        "type the command again: interlock run " + run.shown("key") + " -- …");
            }
            answer(order(backend, "rerun", id, reason), "id", "state", "position");
            return 0;
        }
    }

    @Command(
            description = "Cancels a run: a queued one ends, a running one is asked to stop.",
            footer = {"", "Example:", "  interlock runs cancel 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10 --reason late"})
    public static final class Cancel extends Answering {

        @Parameters(paramLabel = "ID", description = "The run")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why")
        private String reason = "cancelled by hand";

        @Mixin
        private Confirmation confirmation = new Confirmation();

        @Override
        int carryOut(Backend backend) {
            confirmation.require(console(), "Stop it? " + Shown.sentence(show(backend, id)) + ".");
            answer(order(backend, "cancel", id, reason), "id", "state");
            return 0;
        }
    }

    @Command(
            description = "Moves a waiting run before all others that wait for its key.",
            footer = {"", "Example:", "  interlock runs front 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10 --reason urgent"})
    public static final class Front extends Answering {

        @Parameters(paramLabel = "ID", description = "The run")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "Why")
        private String reason = "";

        @Override
        int carryOut(Backend backend) {
            answer(order(backend, "front", id, reason), "id", "state", "priority");
            return 0;
        }
    }

    @Command(
            description = "Submits a run of a job for a worker.",
            footer = {
                "",
                "On a store, what the job's configuration says (lease, retries, policy) is",
                "known only with --config.",
                "",
                "Example:",
                "  interlock runs submit close --key ledger/4711 --parameters '{\"month\":11}'"
            })
    public static final class Submit extends Answering {

        @Parameters(paramLabel = "JOB", description = "The job")
        private String job = "";

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "What it is exclusive under (default: the job's name)")
        private @Nullable String key;

        @Option(
                names = "--on-conflict",
                paramLabel = "POLICY",
                completionCandidates = OptionValues.Policy.class,
                description = "${COMPLETION-CANDIDATES}")
        private @Nullable String onConflict;

        @Option(names = "--parameters", paramLabel = "JSON", description = "For the work")
        private String parameters = "{}";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why")
        private @Nullable String reason;

        @Option(names = "--idempotency-key", paramLabel = "TEXT", description = "The same again is the same run")
        private @Nullable String idempotencyKey;

        @Option(
                names = "--priority",
                paramLabel = "N",
                description = "From -100 to 100, the higher goes first (default: 0)")
        private int priority;

        @Option(names = "--config", paramLabel = "FILE", description = "The configuration that defines the job")
        private @Nullable Path config;

        @Override
        Jobs jobs() {
            if (config == null) {
                return Jobs.of(Job.named(job).build());
            }
            return Jobs.of(ConfigOptions.jobs(session(), config).stream()
                    .map(JobSettings::job)
                    .toList());
        }

        @Override
        int carryOut(Backend backend) {
            String policy = onConflict == null ? null : new OptionValues.Policy().choose("--on-conflict", onConflict);
            Facts wish = Facts.with("key", key == null ? job : key)
                    .and("job", job)
                    .and(
                            "onConflict",
                            policy,
                            word -> word.toUpperCase(Locale.ROOT).replace('-', '_'))
                    .and("parameters", Json.foreign(parameters))
                    .and("reason", reason)
                    .and("idempotencyKey", idempotencyKey)
                    .and("priority", priority);
            answer(backend.requests().post("/runs", wish), "id", "state", "position");
            return 0;
        }
    }

    @Command(
            description = "Lists queued runs from the front of the queue, with estimated starts.",
            footer = {"", "Example:", "  interlock queue ls ledger/4711"})
    public static final class Queue extends Listing {

        @Parameters(arity = "0..1", paramLabel = "KEY", description = "For which key (default: for any)")
        private @Nullable String key;

        @Override
        List<Facts> items(Backend backend) {
            if (key != null) {
                return queued(backend, key);
            }
            Facts queued = backend.requests().get("/runs", "state", "QUEUED", "limit", "1");
            if (queued.list("items").isEmpty()) {
                return List.of();
            }
            return backend
                    .requests()
                    .items(Backend.MAX_LISTED, lock -> lock.number("waiting").orElse(0) > 0, "/locks")
                    .stream()
                    .flatMap(lock -> queued(backend, lock.shown("key")).stream())
                    .toList();
        }

        private static List<Facts> queued(Backend backend, String key) {
            return backend.requests().items(Backend.MAX_LISTED, "/locks/line", "key", key).stream()
                    .map(waiter -> waiter.and("key", key))
                    .toList();
        }

        @Override
        Table columns() {
            return new Table()
                    .of("key", "place", "id", "job")
                    .of("by", run -> run.shown("submittedBy"))
                    .of("priority")
                    .of("waiting since", when("waitingSince"))
                    .of("starts about", when("startsAt"))
                    .of("reason")
                    .sparing("priority", "reason", "by", "job");
        }

        @Override
        String none() {
            return key == null ? "no run is queued" : "no run waits for " + key;
        }
    }

    @Command(
            description = "Lists dead letters: runs whose attempts are used up and that are not settled.",
            footer = {"", "Example:", "  interlock dead ls --job close"})
    public static final class LsDead extends RunListing {

        @Option(names = "--job", paramLabel = "JOB", description = "Only of this job")
        private @Nullable String job;

        @Override
        List<Facts> items(Backend backend) {
            Facts filter =
                    Facts.with("state", RunState.DEAD).and("unsettled", true).and("job", job);
            return backend.requests().items(most(), "/runs", query(filter));
        }

        @Override
        String none() {
            return job == null ? "there are no dead letters" : "there are no dead letters of job " + job;
        }
    }

    @Command(
            description = "Submits dead letters again, as new runs with all their attempts.",
            footer = {"", "Example:", "  interlock dead redrive 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10 --reason repaired"
            })
    public static final class Redrive extends Several {

        public Redrive() {
            super("redrive");
        }
    }

    @Command(
            description = "Discards dead letters.",
            footer = {"", "Example:", "  interlock dead discard 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10 --yes"})
    public static final class Discard extends Several {

        @Mixin
        private Confirmation confirmation = new Confirmation();

        public Discard() {
            super("discard");
        }

        @Override
        void confirm(int letters) {
            confirmation.require(
                    console(), "Discard " + (letters == 1 ? "the dead letter" : letters + " dead letters") + "?");
        }
    }

    /** Does the same with several, and says of each what came of it. */
    abstract static class Several extends Answering {

        @Parameters(arity = "1..*", paramLabel = "ID", description = "The runs")
        private List<String> ids = List.of();

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit log")
        private String reason = "settled by hand";

        private final String order;

        Several(String order) {
            this.order = order;
        }

        void confirm(int letters) {}

        @Override
        final int carryOut(Backend backend) {
            confirm(ids.size());
            int failed = 0;
            for (String id : ids) {
                try {
                    answer(order(backend, order, id, reason), "id", "state");
                } catch (Failure | ProblemException failure) {
                    failed++;
                    Failure told = Failure.of(failure);
                    console().say(told.what());
                    told.nextStep().ifPresent(console()::more);
                }
            }
            if (ids.size() > 1) {
                console().say((ids.size() - failed) + " done, " + failed + " failed (of " + ids.size() + ")");
            }
            return failed == 0 ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
