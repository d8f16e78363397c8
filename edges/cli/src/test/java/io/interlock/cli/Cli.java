package io.interlock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts the command line as a real process, on a store and in a folder of its own. */
final class Cli {

    private final Path folder;
    private final List<String> options = new ArrayList<>();

    Cli(Path folder) {
        this.folder = folder;
        options.add("-Xmx64m");
    }

    /** The URL of the SQLite file in its folder. */
    String store() {
        return "sqlite:" + folder.resolve("interlock.db");
    }

    /** With another option of the JVM. */
    Cli with(String option) {
        Cli other = new Cli(folder);
        other.options.add(option);
        return other;
    }

    /** The words of a shell that call it. */
    String shellCommand() {
        return "'" + String.join("' '", words()) + "'";
    }

    /** Starts it; its store is the SQLite file unless the words say otherwise. */
    Running start(String... words) {
        return startWith("INTERLOCK_STORE", store(), words);
    }

    /** Starts it with one variable set. */
    Running startWith(String variable, String value, String... words) {
        List<String> command = words();
        command.addAll(List.of(words));
        return running(command, variable, value);
    }

    /** Starts any program in the same surroundings. */
    Running running(List<String> command, String variable, String value) {
        try {
            Path out = Files.createTempFile(folder, "out", "");
            Path err = Files.createTempFile(folder, "err", "");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().remove("XDG_RUNTIME_DIR");
            builder.environment().put("INTERLOCK_STORE", store());
            builder.environment().put(variable, value);
            return new Running(builder.start(), out, err);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Starts it without input and waits for its end. */
    Ended run(String... words) {
        Running running = start(words);
        running.closeInput();
        return running.await();
    }

    private List<String> words() {
        List<String> words = Product.java();
        words.addAll(options);
        words.add(Main.class.getName());
        return words;
    }

    /** How it ended. */
    record Ended(int code, Path stdout, String err) {

        String out() {
            return read(stdout);
        }
    }

    /** While it runs. */
    record Running(Process process, Path stdout, Path stderr) {

        String out() {
            return read(stdout);
        }

        String err() {
            return read(stderr);
        }

        void write(byte[] input) {
            try {
                process.getOutputStream().write(input);
                process.getOutputStream().flush();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        void closeInput() {
            try {
                process.getOutputStream().close();
            } catch (IOException ended) {
                // It did not wait for it.
            }
        }

        void signal(String name) {
            try {
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor();
            } catch (IOException | InterruptedException failure) {
                throw new IllegalStateException(failure);
            }
        }

        Ended await() {
            try {
                if (!process.waitFor(3, TimeUnit.MINUTES)) {
                    process.destroyForcibly();
                    throw new AssertionError("still running after three minutes; it said: " + out() + err());
                }
                return new Ended(process.exitValue(), stdout, err());
            } catch (InterruptedException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
