package io.interlock.cli.command;

import io.interlock.DurationText;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.cli.command.OptionValues.Durations;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Table;
import io.interlock.client.Json;
import io.interlock.service.Facts;
import io.interlock.service.HistoryFacts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code interlock top}. */
@Command(
        description = "Shows what goes on and what needs attention, again and again.",
        footer = {"", "With --json each look is one line.", "", "Example:", "  interlock top --once"})
public final class TopCommand extends Answering {

    private static final int PIPE = 13;
    private static final String CLEAR = "\u001b[H\u001b[2J";

    @Option(names = "--once", description = "Look once; the default if stdout is no terminal")
    private boolean once;

    @Option(names = "--every", paramLabel = "DURATION", description = "How often to look (default: 2s)")
    private String every = "2s";

    @Override
    int carryOut(Backend backend) throws InterruptedException {
        long millis = Durations.parse("--every", every, Duration.ofMillis(100)).toMillis();
        boolean repeats = !once && (console().hasTerminal() || json());
        // Ends with the process.
        CountDownLatch never = new CountDownLatch(1);
        do {
            Facts summary = backend.requests().get("/summary");
            if (json()) {
                console().print(Json.line(summary));
            } else {
                if (repeats) {
                    console().printRaw(CLEAR);
                }
                show(summary, backend.requests().get("/history", "window", HistoryFacts.Window.HOUR.word()));
            }
            if (!console().flush()) {
                return ExitCode.SIGNAL + PIPE;
            }
        } while (repeats && !never.await(millis, TimeUnit.MILLISECONDS));
        return ExitCode.OK;
    }

    private void show(Facts summary, Facts history) {
        Facts locks = summary.in("locks");
        Facts runs = summary.in("runs");
        console()
                .print("locks  " + locks.shown("HELD") + " held, " + locks.shown("OVERDUE") + " overdue, "
                        + locks.shown("WAITING") + " waiting, " + locks.shown("PAUSED") + " paused");
        console()
                .print("runs   " + runs.shown("RUNNING") + " running, " + runs.shown("PENDING") + " pending, "
                        + runs.shown("QUEUED") + " queued, " + summary.shown("deadLetters") + " dead letters");
        console()
                .print("last hour  " + history.shown("succeeded") + " succeeded, " + history.shown("failed")
                        + " failed, " + history.shown("stopped") + " stopped"
                        + history.duration("holdP95")
                                .map(most -> "; 95 % of the holds within " + DurationText.format(most))
                                .orElse(""));
        Facts longest = summary.in("longestWait");
        if (!longest.isEmpty()) {
            Facts lock = longest.in("lock");
            console()
                    .print("longest wait  " + lock.shown("key") + ", since " + when(longest, "since") + "; held by "
                            + lock.in("holder").text("holder").orElse("no holder") + "; next "
                            + longest.in("next").shown("id"));
        }
        attention(summary.list("attention"));
        List<Facts> hot = summary.list("hotKeys");
        if (!hot.isEmpty()) {
            console().print("");
            new Table()
                    .of("key", "waiting", "state")
                    .of("holder", lock -> lock.in("holder").shown("holder"))
                    .of("since", when("since"))
                    .print(hot, console(), true, false);
        }
    }

    private void attention(List<Facts> entries) {
        console().print("");
        if (entries.isEmpty()) {
            console().print("nothing needs attention");
            return;
        }
        new Table()
                .of("attention", entry -> entry.shown("kind"))
                .of("count")
                .of("about", entry -> entry.text("job").orElse(entry.shown("key")))
                .of("what", entry -> entry.text("code").orElse(entry.shown("sentence")))
                .of("last", entry -> when(entry, entry.text("lastAt").isPresent() ? "lastAt" : "since"))
                .print(entries, console(), true, false);
    }
}
