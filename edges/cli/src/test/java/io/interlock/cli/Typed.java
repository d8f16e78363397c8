package io.interlock.cli;

import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.text.Console;
import io.interlock.time.Environment;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Carries commands out in this process, for those that start no other. */
final class Typed {

    private final Map<String, String> variables = new HashMap<>();

    Typed(String variable, String value) {
        variables.put(variable, value);
    }

    /** With another variable. */
    Typed set(String variable, String value) {
        variables.put(variable, value);
        return this;
    }

    /** Whether this variable is set. */
    boolean isOn(String variable) {
        return variables.containsKey(variable);
    }

    /** What came of a command. */
    record Answer(int code, String out, String err) {}

    Answer type(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = Console.of(
                new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
        int code = new CommandLineRunner(new CommandContext(console, Map.copyOf(variables), Environment.system()))
                .run(words);
        console.flush();
        return new Answer(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
