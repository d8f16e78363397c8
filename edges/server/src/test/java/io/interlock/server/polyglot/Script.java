package io.interlock.server.polyglot;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.server.launch.RealServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The workers of {@code examples/polyglot}. */
enum Script {
    PYTHON("worker.py", "python3"),
    BASH("worker.sh", "bash curl");

    private final String file;
    private final String needed;

    Script(String file, String needed) {
        this.file = file;
        this.needed = needed;
    }

    /** Skips the test, aloud, where it cannot run. */
    void require() {
        for (String program : needed.split(" ", -1)) {
            boolean there = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
            assumeTrue(there, program + " is not installed, so " + file + " is not tried");
        }
    }

    /** Starts it; what it does in {@code folder} for a run of {@code job} is for a shell. */
    Running start(RealServer server, Path folder, String job, String work) {
        return start(server.url(), server.key().orElseThrow(), folder, job, work);
    }

    /** Starts it at the server, or proxy, at {@code url}. */
    Running start(String url, String key, Path folder, String job, String work) {
        require();
        try {
            Path said = Files.createTempFile(folder, name(), ".out");
            ProcessBuilder builder = new ProcessBuilder(path().toString(), job, "sh", "-c", work)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile());
            builder.environment().put("INTERLOCK_SERVER", url);
            builder.environment().put("INTERLOCK_API_KEY", key);
            builder.environment().put("WORKER", name());
            return new Running(builder.start(), said);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Path path() {
        Path above = Path.of("").toAbsolutePath();
        while (above != null && !Files.exists(above.resolve("examples/polyglot"))) {
            above = above.getParent();
        }
        if (above == null) {
            throw new IllegalStateException("no folder with examples/polyglot above");
        }
        return above.resolve("examples/polyglot").resolve(file);
    }

    /**
     * One that runs. Closing kills it and all that it has started.
     *
     * @param process the worker
     * @param out what it says
     */
    record Running(Process process, Path out) implements AutoCloseable {

        /** Without a word, as if the machine were gone. */
        void kill() {
            List<ProcessHandle> all = process.descendants().toList();
            process.destroyForcibly().onExit().join();
            all.forEach(ProcessHandle::destroyForcibly);
        }

        String said() {
            try {
                return Files.readString(out);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() {
            kill();
        }
    }
}
