package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.cli.command.CliCommand.TableOptions;
import io.interlock.cli.command.ConfigCommand.ConfigOptions;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.Table;
import io.interlock.cli.text.Times;
import io.interlock.config.Given;
import io.interlock.run.Retention;
import io.interlock.service.Facts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code interlock janitor …}. */
public final class JanitorCommands {

    private JanitorCommands() {}

    @Command(
            description = "Shows what is due for a sweep, or a server's last sweep, and the workers.",
            footer = {"", "Example:", "  interlock janitor status --server https://locks.example"})
    public static final class Status extends Answering {

        @Mixin
        private TableOptions options = new TableOptions();

        @Override
        int carryOut(Backend backend) {
            List<Facts> workers = backend.requests().get("/workers").list("items");
            Facts known = backend.requests().get("/janitor");
            Facts janitor = known.isEmpty() ? due(backend) : known;
            if (json()) {
                answer(janitor.and("workers", workers));
                return 0;
            }
            if (workers.isEmpty()) {
                console().say("no worker has been seen for an hour");
            } else {
                Table columns =
                        new Table().of("worker", "slots", "busy", "version").of("seen", when("seenAt"));
                options.print(columns, workers, console());
            }
            janitor.time("nextAt").ifPresent(next -> console().say("the server sweeps next at " + Times.second(next)));
            return show(janitor, console(), options);
        }
    }

    @Command(
            description = {
                "Cleans up expired leases and lost runs, and lists what it did and why.",
                "On a store, history is kept for the times of --config; without it for the",
                "default times, whatever a server on the same store is configured for.",
            },
            footer = {"", "Example:", "  interlock janitor sweep --dry-run"})
    public static final class Sweep extends Answering {

        @Option(names = "--dry-run", description = "Only list what is due")
        private boolean dryRun;

        @Option(names = "--config", paramLabel = "FILE", description = "The configuration that has the history times")
        private @Nullable Path config;

        @Mixin
        private TableOptions options = new TableOptions();

        @Override
        Retention retention() {
            return config == null
                    ? super.retention()
                    : ConfigOptions.read(new Given(List.of(), session().variables(), config), session())
                            .settings()
                            .history()
                            .retention();
        }

        @Override
        int carryOut(Backend backend) {
            Facts done = dryRun ? due(backend) : backend.requests().post("/janitor/sweep", null);
            if (json()) {
                answer(done);
                return 0;
            }
            return show(done, console(), options);
        }
    }

    /** What is due for a sweep, as one: leases that have ended. */
    private static Facts due(Backend backend) {
        List<Facts> due = backend
                .requests()
                .items(
                        Backend.MAX_LISTED,
                        lock -> lock.duration("leaseLeft")
                                .filter(Duration::isZero)
                                .isPresent(),
                        "/locks",
                        "state",
                        "OVERDUE")
                .stream()
                .map(lock -> Facts.with("key", lock.shown("key"))
                        .and("run", lock.in("holder").text("runId").orElse(null))
                        .and("why", lock.shown("explanation")))
                .toList();
        return Facts.with("sweeps", List.of(Facts.with("sweep", "due").and("actions", due)));
    }

    private static int show(Facts janitor, Console console, TableOptions options) {
        List<Facts> actions = new ArrayList<>();
        for (Facts sweep : janitor.list("sweeps")) {
            sweep.text("skipped").ifPresent(why -> console.say(sweep.shown("sweep") + ": " + why));
            sweep.list("actions").forEach(action -> actions.add(action.and("sweep", sweep.shown("sweep"))));
        }
        if (actions.isEmpty()) {
            console.say("nothing is due for a sweep");
            return 0;
        }
        Table columns = new Table().of("sweep", "key", "run").of("why", action -> Times.readable(action.shown("why")));
        options.print(columns.sparing("run", "sweep"), actions, console);
        return 0;
    }
}
