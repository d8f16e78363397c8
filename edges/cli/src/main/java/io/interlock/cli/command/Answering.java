package io.interlock.cli.command;

import io.interlock.cli.text.Console;
import io.interlock.cli.text.Json;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Times;
import io.interlock.service.Facts;
import java.time.Instant;
import picocli.CommandLine.Option;

/** A command that answers with facts: as a table or lines for people, or as JSON. */
abstract class Answering extends Verb {

    @Option(names = "--json", description = "Answer in JSON")
    private boolean json;

    Answering(CommandContext session) {
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

    /** A time: on a terminal how long ago, elsewhere as it is. */
    final String when(Facts item, String name) {
        Instant now = session().environment().clock().instant();
        return item.time(name)
                .map(time -> session().console().hasTerminal() ? Times.ago(time, now) : Times.second(time))
                .orElse("");
    }
}
