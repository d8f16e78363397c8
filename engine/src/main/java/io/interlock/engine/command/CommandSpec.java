package io.interlock.engine.command;

import io.interlock.InvalidSettingException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The command of a job, and how it is run.
 *
 * @param command program and arguments; there is no shell
 * @param directory where it works, or {@code null} for where the worker does
 * @param environment variables it gets besides those that its handler names
 * @param inherited which of the worker's own variables it sees
 * @param outputTail how much of a burst of output is kept, in characters; 0 keeps no output at all
 * @param permanentExitCodes exit codes that mean: trying again cannot help
 */
public record CommandSpec(
        List<String> command,
        @Nullable Path directory,
        Map<String, String> environment,
        InheritedEnvironment inherited,
        int outputTail,
        Set<Integer> permanentExitCodes) {

    public static final int DEFAULT_TAIL = 64 * 1024;

    /** How the names of the variables begin that Interlock sets. */
    public static final String OURS = "INTERLOCK_";

    private static final int MAX_TAIL = 1024 * 1024;
    private static final int MAX_CODE = 255;
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    public CommandSpec {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        permanentExitCodes = Set.copyOf(permanentExitCodes);
        if (command.isEmpty() || command.get(0).isEmpty()) {
            throw new InvalidSettingException("command", command, "names no program", "write program and arguments");
        }
        environment.forEach(CommandSpec::requireVariable);
        if (outputTail < 0 || outputTail > MAX_TAIL) {
            throw new InvalidSettingException(
                    "output-tail", outputTail, "must be from 0 to " + MAX_TAIL, "0 keeps no output");
        }
        permanentExitCodes.forEach(CommandSpec::requireCode);
    }

    /** A command with default settings: every exit code but 0 may be mended by trying again. */
    public static CommandSpec of(List<String> command) {
        return new CommandSpec(command, null, Map.of(), InheritedEnvironment.ALL, DEFAULT_TAIL, Set.of());
    }

    public CommandSpec directory(Path directory) {
        return new CommandSpec(command, directory, environment, inherited, outputTail, permanentExitCodes);
    }

    /** This, with variables of its own, and with those of the worker that {@code inherited} lets through. */
    public CommandSpec environment(Map<String, String> environment, InheritedEnvironment inherited) {
        return new CommandSpec(command, directory, environment, inherited, outputTail, permanentExitCodes);
    }

    public CommandSpec outputTail(int outputTail) {
        return new CommandSpec(command, directory, environment, inherited, outputTail, permanentExitCodes);
    }

    /** This, with exit codes after which trying again cannot help. */
    public CommandSpec permanentExitCodes(Set<Integer> permanentExitCodes) {
        return new CommandSpec(command, directory, environment, inherited, outputTail, permanentExitCodes);
    }

    public boolean mayHelpAgain(Exit exit) {
        return switch (exit.kind()) {
            case NOT_EXECUTABLE, NOT_FOUND -> false;
            case EXITED, SIGNALLED, NOT_STARTED -> !permanentExitCodes.contains(exit.code());
        };
    }

    private static void requireVariable(String name, String value) {
        if (!VARIABLE.matcher(name).matches() || name.startsWith(OURS)) {
            throw new InvalidSettingException(
                    "environment",
                    name,
                    "must be letters, digits and _, and not begin with " + OURS,
                    "choose another name");
        }
        if (value.indexOf('\0') >= 0) {
            throw new InvalidSettingException("environment", name, "has the character NUL in its value", "remove it");
        }
    }

    private static void requireCode(int code) {
        if (code < 1 || code > MAX_CODE) {
            throw new InvalidSettingException(
                    "permanent-exit-codes",
                    code,
                    "must be from 1 to " + MAX_CODE,
                    "0 is success and cannot be another");
        }
    }
}
