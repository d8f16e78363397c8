package io.interlock.engine.command;

import io.interlock.InvalidSettingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the program of a command as {@code execvp} would, before anything is started. */
final class Executables {

    private static final String USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

    private Executables() {}

    /**
     * The command with its program as a path.
     *
     * @throws CannotExecuteException if there is no such program, or it cannot be executed
     */
    static List<String> resolve(ProcessLaunch launch) {
        Path directory = launch.directory() == null ? Path.of("") : launch.directory();
        if (!Files.isDirectory(directory)) {
            throw new InvalidSettingException("directory", directory, "is none", "create it, or name another");
        }
        List<String> command = new ArrayList<>(launch.command());
        command.set(0, program(command.get(0), directory, launch.environment().getOrDefault("PATH", USUAL_PATH)));
        return command;
    }

    private static String program(String name, Path directory, String searched) {
        boolean seen = false;
        for (String candidate : candidates(name, searched)) {
            Path file = path(directory, candidate);
            if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                return candidate;
            }
            seen |= Files.exists(file);
        }
        throw seen
                ? new CannotExecuteException(
                        Exit.CANNOT_EXECUTE, "'" + name + "' cannot be executed; make it a program with chmod +x")
                : new CannotExecuteException(
                        Exit.CANNOT_FIND,
                        "'" + name + "' was not found"
                                + (name.contains("/")
                                        ? "; check the path"
                                        : " in PATH " + searched + "; name its path"));
    }

    private static List<String> candidates(String name, String searched) {
        if (name.contains("/")) {
            return List.of(name);
        }
        List<String> candidates = new ArrayList<>();
        for (String entry : searched.split(":", -1)) {
            candidates.add((entry.isEmpty() ? "." : entry) + "/" + name);
        }
        return candidates;
    }

    private static Path path(Path directory, String candidate) {
        try {
            return directory.resolve(candidate);
        } catch (InvalidPathException impossible) {
            throw new CannotExecuteException(Exit.CANNOT_FIND, "'" + candidate + "' cannot be the path of a program");
        }
    }
}
