package io.interlock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server process with its folder: the files of the database in {@code data}, the socket and the log beside it.
 * Neither outlives the JVM, even if it is killed. Not thread-safe.
 */
final class MariaDbProcess implements AutoCloseable {

    /** How long to wait for a server that starts or ends. */
    static final int PATIENCE_SECONDS = 30;

    /**
     * Waits for the end of the JVM, which closes its input, then kills the server, after checking that it is the same
     * process, and deletes its files.
     */
    private static final String GUARD = """
            trap '' HUP INT TERM
            read -r _
            pid=$(cat "$1/data/pid" 2>/dev/null) && grep -qF "$1" "/proc/$pid/cmdline" 2>/dev/null && kill -9 "$pid"
            # A server that is ending may still write.
            for _ in 1 2 3 4 5; do rm -rf "$1" && exit 0; done 2>/dev/null
            """;

    private final Path folder;
    private final Map<String, String> settings;
    private final Process guard;
    private @Nullable Process server;

    MariaDbProcess(Path folder, Map<String, String> settings) throws IOException {
        this.folder = folder;
        this.settings = new TreeMap<>(settings);
        this.guard = new ProcessBuilder("sh", "-c", GUARD, "guard", folder.toString()).start();
    }

    Path data() {
        return folder.resolve("data");
    }

    /** Starts it on a port of 127.0.0.1 without waiting. */
    void launch(int port) {
        List<String> command =
                new ArrayList<>(List.of(MariaDbFiles.require("mariadbd").toString(), "--no-defaults"));
        command.addAll(MariaDbFiles.account());
        command.addAll(List.of("--datadir=" + data(), "--socket=" + folder.resolve("socket"), "--pid-file=pid"));
        // A starting server deletes the temporary tables in this folder, even those of another server.
        command.add("--tmpdir=" + folder);
        command.addAll(List.of("--bind-address=127.0.0.1", "--port=" + port, "--skip-name-resolve"));
        command.addAll(List.of("--skip-log-bin", "--max-connections=200", "--character-set-server=utf8mb4"));
        command.addAll(List.of("--innodb-buffer-pool-size=64M", MariaDbFiles.LOG_SIZE));
        settings.forEach((name, value) -> command.add("--" + name + "=" + value));
        try {
            server = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Whether it listens on its port; a server that could not bind the port never does. */
    boolean listens() {
        return Files.exists(data().resolve("pid"));
    }

    /** Waits a moment; returns whether the server has ended. */
    boolean endsSoon() {
        return ends(running(), 20, TimeUnit.MILLISECONDS);
    }

    /** Halts it by SIGSTOP; when this returns, none of its threads runs. */
    void pause() {
        signal("STOP");
        for (int tries = 0; !isHalted(); tries++) {
            if (tries == PATIENCE_SECONDS * 50 || endsSoon()) {
                throw new IllegalStateException("MariaDB cannot be halted: " + said());
            }
        }
    }

    /** Continues it by SIGCONT. */
    void resume() {
        signal("CONT");
    }

    /** Ends it by SIGTERM. */
    void stop() {
        running().destroy();
        awaitEnd();
    }

    /** Ends it by SIGKILL. */
    void kill() {
        running().destroyForcibly();
        awaitEnd();
    }

    /** Its log. */
    String said() {
        try {
            return Files.exists(log()) ? Files.readString(log()) : "nothing";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Kills it and deletes the folder. */
    @Override
    public void close() {
        kill();
        try {
            guard.getOutputStream().close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        await(guard);
    }

    private void signal(String signal) {
        Commands.run(List.of("kill", "-" + signal, Long.toString(running().pid())));
    }

    /** A signal takes time to reach the last thread. Without access to the threads, this does not wait. */
    private boolean isHalted() {
        Path threads = Path.of("/proc", Long.toString(running().pid()), "task");
        if (!Files.isDirectory(threads)) {
            return true;
        }
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(MariaDbProcess::isStopped);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            // The state follows the name, which is in parentheses and may contain anything.
            String line = Files.readString(thread.resolve("stat"));
            return line.startsWith("T", line.lastIndexOf(')') + 2);
        } catch (IOException gone) {
            return true;
        }
    }

    private void awaitEnd() {
        await(running());
        try {
            // The pid file remains after a kill, and its number may be reused by another process.
            Files.deleteIfExists(data().resolve("pid"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void await(Process process) {
        if (!ends(process, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("process " + process.pid() + " does not end: " + said());
        }
    }

    private static boolean ends(Process process, long time, TimeUnit unit) {
        try {
            return process.waitFor(time, unit);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }

    private Process running() {
        Process known = server;
        if (known == null) {
            throw new IllegalStateException("MariaDB was not started");
        }
        return known;
    }

    private Path log() {
        return folder.resolve("log");
    }
}
