package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Table;
import io.interlock.cli.text.Times;
import io.interlock.client.Json;
import io.interlock.engine.Jobs;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.run.Retention;
import io.interlock.run.RunQuery;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command: what it is carried out in. */
public abstract class CliCommand implements Callable<Integer> {

    private @Nullable CommandContext session;

    /** This command, carried out in {@code session}. */
    public final CliCommand in(CommandContext session) {
        this.session = session;
        return this;
    }

    final CommandContext session() {
        return Objects.requireNonNull(session, "in() comes first");
    }

    /** What reads its words. */
    public CommandLine line() {
        return new CommandLine(this);
    }

    /** The version of this program. */
    static String version() {
        String version = CliCommand.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }

    final Console console() {
        return session().console();
    }

    /** A command that is told where to work. */
    abstract static class Targeted extends CliCommand {

        private final TargetOptions target = new TargetOptions();

        @Override
        public CommandLine line() {
            CommandLine line = super.line();
            line.getCommandSpec().addMixin("target", target.spec());
            return line;
        }

        final TargetOptions target() {
            return target;
        }
    }

    /** A command that is carried out on a store or by a server. */
    abstract static class Verb extends Targeted {

        @Override
        public Integer call() throws InterruptedException {
            try (Backend backend = target().open(session(), jobs(), retention())) {
                return carryOut(backend);
            }
        }

        abstract int carryOut(Backend backend) throws InterruptedException;

        Jobs jobs() {
            return Jobs.of();
        }

        /** How long a store keeps history, if it is swept meanwhile. */
        Retention retention() {
            return Retention.DEFAULT;
        }
    }

    /**
     * Asks before something that cannot be undone, at a terminal. In scripts the command itself is the confirmation: it names the run, the
     * token or the key and, where force is used, the reason.
     */
    static final class Confirmation {

        @Option(
                names = {"-y", "--yes"},
                description = "Do not ask for confirmation")
        private boolean yes;

        void require(Console console, String question) {
            if (!yes && console.canAsk() && !console.confirm(question)) {
                throw new Failure(ExitCode.FAILED, "nothing was done", null);
            }
        }
    }

    /** How a table is shown. */
    static final class TableOptions {

        @Option(names = "--no-header", description = "Leave the table's header out")
        private boolean noHeader;

        @Option(names = "--wide", description = "Show all columns, also on a narrow terminal")
        private boolean wide;

        void print(Table table, List<Facts> items, Console console) {
            table.print(items, console, !noHeader, wide);
        }
    }

    /** A command that answers with facts: as a table or lines for people, or as JSON. */
    abstract static class Answering extends Verb {

        @Option(names = "--json", description = "Answer in JSON")
        private boolean json;

        final boolean json() {
            return json;
        }

        final void answer(Facts facts, String... shown) {
            Console console = session().console();
            if (json) {
                console.print(Json.pretty(facts));
                return;
            }
            if (facts.text("explanation").isPresent()) {
                console.print(Shown.sentence(facts));
            }
            for (String name : shown.length == 0 ? facts.map().keySet().toArray(String[]::new) : shown) {
                Object value = facts.map().get(name);
                if (value != null && !name.equals("explanation")) {
                    Shown.lines(name, value).forEach(console::print);
                }
            }
        }

        final Function<Facts, String> when(String name) {
            return item -> when(item, name);
        }

        /** A time: on a terminal how long ago, elsewhere as it is. */
        final String when(Facts item, String name) {
            Instant now = session().environment().clock().instant();
            return item.time(name)
                    .map(time -> session().console().hasTerminal() ? Times.ago(time, now) : Times.second(time))
                    .orElse("");
        }
    }

    /** A command that lists something. */
    abstract static class Listing extends Answering {

        @Mixin
        private TableOptions options = new TableOptions();

        @Override
        final int carryOut(Backend backend) throws InterruptedException {
            return list(items(backend));
        }

        final int list(List<Facts> items) {
            Console console = session().console();
            if (json()) {
                console.print(Json.pretty(Facts.with("items", items)));
            } else if (items.isEmpty()) {
                console.say(none());
            } else {
                options.print(columns(), items, console);
                if (items.size() >= most()) {
                    console.say("no more than " + items.size() + " are shown; " + narrower());
                }
            }
            return 0;
        }

        abstract List<Facts> items(Backend backend) throws InterruptedException;

        /** The fields of {@code filter} as a query. */
        static String[] query(Facts filter) {
            return filter.map().entrySet().stream()
                    .flatMap(field -> Stream.of(field.getKey(), String.valueOf(field.getValue())))
                    .toArray(String[]::new);
        }

        abstract Table columns();

        /** How many are listed at the most. */
        int most() {
            return Integer.MAX_VALUE;
        }

        /** How to see what is left out. */
        String narrower() {
            return "--limit shows more, up to " + RunQuery.MAX_LIMIT + ", and filters show others";
        }

        /** What is said if there is nothing to list. */
        abstract String none();
    }

    /** A command that lists a limited number of something. */
    abstract static class LimitedListing extends Listing {

        @Option(names = "--limit", paramLabel = "N", description = "How many at the most, up to 1000 (default: 50)")
        private int limit = 50;

        @Override
        final int most() {
            if (limit < 1 || limit > RunQuery.MAX_LIMIT) {
                throw Failure.usage(
                        "--limit '" + limit + "' is not from 1 to " + RunQuery.MAX_LIMIT,
                        "ask for less, and for what you look for, as in --key or --since");
            }
            return limit;
        }
    }

    abstract static class RunListing extends LimitedListing {

        @Override
        Table columns() {
            return new Table()
                    .of("id", "key", "job", "state")
                    .of("attempt", run -> run.shown("attempt") + "/" + run.shown("maxAttempts"))
                    .of("submitted", when("submittedAt"))
                    .of("ended", when("endedAt"))
                    .of("stage")
                    .of("reason", run -> run.in("error").text("code").orElse(run.shown("reason")))
                    .sparing("attempt", "stage", "ended", "job", "reason");
        }
    }

    /** What a command is carried out in. */
    public record CommandContext(Console console, Map<String, String> variables, Environment environment) {

        public static CommandContext ofProcess() {
            Map<String, String> variables = InheritedEnvironment.variables();
            return new CommandContext(Console.ofProcess(variables), variables, Environment.system());
        }
    }
}
