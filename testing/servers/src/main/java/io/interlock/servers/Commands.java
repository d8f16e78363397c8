package io.interlock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs other programs. */
final class Commands {

    private Commands() {}

    /** Runs a command and waits for it; a failure or a timeout of 30 s is an error with its output. */
    static void run(List<String> command) {
        try {
            Path output = Files.createTempFile("interlock-command", ".out");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(Duration.ofSeconds(30).toSeconds(), TimeUnit.SECONDS);
            String said = Files.readString(output);
            Files.delete(output);
            if (!ended || process.exitValue() != 0) {
                throw new IllegalStateException(command + " failed: " + said);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }
}
