package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Json;
import io.interlock.cli.text.Table;
import java.util.List;
import picocli.CommandLine.Option;

/** A command that lists something. */
abstract class Listing extends Answering {

    @Option(names = "--no-header", description = "Leave the table's header out")
    private boolean noHeader;

    @Option(names = "--wide", description = "All columns, however narrow the terminal is")
    private boolean wide;

    Listing(Session session) {
        super(session);
    }

    @Override
    final int carryOut(Backend backend) throws InterruptedException {
        List<Facts> items = items(backend);
        Console console = session().console();
        if (json()) {
            console.print(Json.pretty(Facts.with("items", items).done()));
        } else if (items.isEmpty()) {
            console.say(none());
        } else {
            Table table = table();
            items.forEach(item -> table.row(row(item)));
            (wide ? table : table.sparing(spare())).print(console, !noHeader);
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

    /** What is said if there is nothing to list. */
    abstract String none();
}
