package io.interlock.cli.run;

import io.interlock.cli.text.Console;
import io.interlock.client.Json;
import io.interlock.service.Facts;
import java.util.List;

/** What {@code interlock run} says of itself on stderr: sentences for people, or JSON lines. Safe for use by many threads. */
public final class Narrator {

    private final Console console;
    private final boolean json;
    private final boolean verbose;

    public Narrator(Console console, boolean json, boolean verbose) {
        this.console = console;
        this.json = json;
        this.verbose = verbose;
    }

    /** Whether a line may be written over by the next one. */
    boolean mayUpdate() {
        return !json && console.canUpdate();
    }

    void say(String event, Facts facts, String sentence, List<String> more) {
        if (json) {
            console.raw(Json.line(Facts.with("event", event).merge(facts)));
            return;
        }
        console.say(sentence);
        more.forEach(console::more);
    }

    /** Prints a message for programs, and for people only with --verbose. */
    void mention(String event, Facts facts, String sentence) {
        if (json || verbose) {
            say(event, facts, sentence, List.of());
        }
    }

    void note(String event, Facts facts) {
        if (json) {
            say(event, facts, "", List.of());
        }
    }

    /** Writes a line that the next one replaces. */
    void update(String sentence) {
        console.update(sentence);
    }
}
