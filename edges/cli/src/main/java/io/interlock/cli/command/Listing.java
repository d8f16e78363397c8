package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.Json;
import io.interlock.cli.text.Table;
import io.interlock.run.RunQuery;
import io.interlock.service.Facts;
import java.util.List;
import picocli.CommandLine.Mixin;

/** A command that lists something. */
abstract class Listing extends Answering {

    @Mixin
    private TableOptions options = new TableOptions();

    Listing(CommandContext session) {
        super(session);
    }

    @Override
    final int carryOut(Backend backend) throws InterruptedException {
        return list(items(backend));
    }

    /** Shows {@code items}. */
    final int list(List<Facts> items) {
        Console console = session().console();
        if (json()) {
            console.print(Json.pretty(Facts.with("items", items)));
        } else if (items.isEmpty()) {
            console.say(none());
        } else {
            Table table = table();
            items.forEach(item -> table.row(row(item)));
            options.print(table, console, spare());
            if (items.size() >= most()) {
                console.say("no more than " + items.size() + " are shown; " + narrower());
            }
        }
        return 0;
    }

    abstract List<Facts> items(Backend backend) throws InterruptedException;

    abstract Table table();

    abstract String[] row(Facts item);

    /** The columns that can be spared where there is little room, the first of them first. */
    String[] spare() {
        return new String[0];
    }

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
