package io.interlock.engine.command;

import io.interlock.InvalidSettingException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What to start, where and with which ends.
 *
 * @param command the program and its arguments, given to it as they are: there is no shell
 * @param directory where it works, or {@code null} for where this process does
 * @param environment all variables it sees, but for {@code INTERLOCK_GUARD}, which is added. Where {@code sh} is dash, variables
 *     whose names no shell could set do not reach it
 * @param stderr where its errors go, or {@code null} for where its output goes
 * @param life asked before its start: how long it may go on without another word ({@link GuardedProcess#liveFor}); or {@code null} for
 *     as long as it likes
 */
public record ProcessLaunch(
        List<String> command,
        @Nullable Path directory,
        Map<String, String> environment,
        Redirect stdin,
        Redirect stdout,
        @Nullable Redirect stderr,
        @Nullable Supplier<Duration> life) {

    public ProcessLaunch {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        if (command.isEmpty() || command.get(0).isEmpty()) {
            throw new InvalidSettingException("command", command, "names no program", "write program and arguments");
        }
        for (String part : command) {
            if (part.indexOf('\0') >= 0) {
                throw new InvalidSettingException(
                        "command", part.replace('\0', '?'), "contains the character NUL", "leave it out");
            }
        }
    }

    /** Pipes at all ends, the variables of this process, in its directory. */
    public static ProcessLaunch of(List<String> command) {
        return new ProcessLaunch(
                command, null, InheritedEnvironment.variables(), Redirect.PIPE, Redirect.PIPE, Redirect.PIPE, null);
    }

    public ProcessLaunch directory(@Nullable Path directory) {
        return new ProcessLaunch(command, directory, environment, stdin, stdout, stderr, life);
    }

    public ProcessLaunch environment(Map<String, String> environment) {
        return new ProcessLaunch(command, directory, environment, stdin, stdout, stderr, life);
    }

    /** This, with other ends; {@code stderr} may be {@code null} for where the output goes. */
    public ProcessLaunch redirects(Redirect stdin, Redirect stdout, @Nullable Redirect stderr) {
        return new ProcessLaunch(command, directory, environment, stdin, stdout, stderr, life);
    }

    /** This, with another time to go on unless that is extended, or {@code null} for no limit. */
    public ProcessLaunch life(@Nullable Supplier<Duration> life) {
        return new ProcessLaunch(command, directory, environment, stdin, stdout, stderr, life);
    }

    /** A builder of {@code command} with the directory, the ends, and the variables of this. */
    ProcessBuilder builder(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectInput(stdin).redirectOutput(stdout);
        if (stderr == null) {
            builder.redirectErrorStream(true);
        } else {
            builder.redirectError(stderr);
        }
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        // What this process has itself stays as it is, byte for byte: it need not be text.
        Map<String, String> variables = builder.environment();
        variables.keySet().retainAll(environment.keySet());
        environment.forEach((name, value) -> {
            if (!value.equals(variables.get(name))) {
                variables.put(name, value);
            }
        });
        return builder;
    }
}
