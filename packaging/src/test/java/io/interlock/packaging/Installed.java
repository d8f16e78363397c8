package io.interlock.packaging;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An installed Interlock, started with no variables but those given, and with a few programs of the system on its PATH. */
final class Installed {

    private static final Pattern API = Pattern.compile("API\\s+(http://\\S+)/api/v1/");
    private static final Pattern KEY = Pattern.compile("API key\\s+(ilk_\\S+)");
    private static final List<String> PROGRAMS = List.of(
            "bash", "sh", "sed", "head", "locale", "readlink", "mkdir", "rm", "cp", "setsid", "kill", "ps", "sleep");

    private final Path program;
    private final Path folder;
    private final Map<String, String> variables = new TreeMap<>();

    Installed(Path program, Path folder) throws IOException {
        this.program = program;
        this.folder = folder;
        Path tools = Files.createDirectories(folder.resolve("tools"));
        for (String name : PROGRAMS) {
            for (String place : List.of("/usr/bin", "/bin")) {
                Path found = Path.of(place, name);
                if (Files.isExecutable(found) && !Files.exists(tools.resolve(name))) {
                    Files.createSymbolicLink(tools.resolve(name), found);
                }
            }
        }
        variables.put("PATH", tools.toString());
        variables.put("HOME", folder.toString());
    }

    Installed with(String variable, String value) {
        variables.put(variable, value);
        return this;
    }

    /** Puts another program on the PATH. */
    void onPath(Path other) throws IOException {
        Files.createSymbolicLink(folder.resolve("tools").resolve(other.getFileName()), other);
    }

    /** How it ended, and all that it wrote. */
    record Ended(int code, String text) {}

    Ended run(String... arguments) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", "");
        Process process = start(out, arguments);
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError("still running: " + List.of(arguments) + Files.readString(out));
        }
        return new Ended(process.exitValue(), Files.readString(out));
    }

    private Process start(Path out, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile());
        builder.environment().clear();
        builder.environment().putAll(variables);
        return builder.start();
    }

    /** A server that listens, on a store in memory unless the arguments say otherwise. */
    Server server(String... arguments) throws IOException {
        Path out = Files.createTempFile(folder, "server", "");
        List<String> words = new ArrayList<>(List.of("server", "--port", "0"));
        words.addAll(List.of(arguments));
        Process process = start(out, words.toArray(String[]::new));
        try {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !process.isAlive()
                            || KEY.matcher(Files.readString(out)).find());
            String said = Files.readString(out);
            return new Server(process, found(API, said), found(KEY, said), out);
        } catch (RuntimeException | AssertionError | IOException failure) {
            process.destroyForcibly();
            throw failure;
        }
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("the server did not start: " + text);
        }
        return matcher.group(1);
    }

    /** A server in a process of its own, which is told to stop at the end. */
    record Server(Process process, String url, String apiKey, Path out) implements AutoCloseable {

        /** Asks it to stop, and returns its exit code. */
        int stop() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                throw new AssertionError("the server does not stop");
            }
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
