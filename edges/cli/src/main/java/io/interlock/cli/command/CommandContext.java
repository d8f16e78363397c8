package io.interlock.cli.command;

import io.interlock.cli.text.Console;
import io.interlock.engine.command.InheritedVariables;
import io.interlock.time.Environment;
import java.util.Map;

/**
 * What a command is carried out in.
 *
 * @param console its streams
 * @param variables its environment variables
 * @param environment its clocks, threads and chance
 */
public record CommandContext(Console console, Map<String, String> variables, Environment environment) {

    /** That of this process. */
    public static CommandContext ofProcess() {
        Map<String, String> variables = InheritedVariables.all();
        return new CommandContext(Console.ofProcess(variables), variables, Environment.system());
    }
}
