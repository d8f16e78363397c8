package io.interlock.cli.command;

import io.interlock.cli.text.Console;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Json;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Table;
import java.util.List;
import picocli.CommandLine.Option;

/** A command that answers with facts: as a table or lines for people, or as JSON. */
abstract class Answering extends Verb {

    @Option(names = "--json", description = "Answer in JSON")
    private boolean json;

    Answering(Session session) {
        super(session);
    }

    final boolean json() {
        return json;
    }

    /** One thing. */
    final void answer(Facts facts, String... shown) {
        Console console = session().console();
        if (json) {
            console.print(Json.pretty(facts));
            return;
        }
        facts.text("explanation").ifPresent(console::print);
        for (String name : shown.length == 0 ? facts.values().keySet().toArray(String[]::new) : shown) {
            Object value = facts.values().get(name);
            if (value != null && !name.equals("explanation")) {
                Shown.lines(name, value).forEach(console::print);
            }
        }
    }

    /** Several things. */
    final int answer(List<Facts> items, Table table, boolean header) {
        Console console = session().console();
        if (json) {
            console.print(Json.pretty(Facts.with("items", items).done()));
        } else if (items.isEmpty()) {
            console.say("there is nothing to show");
        } else {
            table.print(console, header);
        }
        return 0;
    }
}
