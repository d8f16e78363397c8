package io.interlock.storm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** The worker processes of a storm. Not thread-safe. */
final class Workers implements AutoCloseable {

    private final String url;
    private final Path folder;
    private final List<Process> processes = new ArrayList<>();

    Workers(String url, Path folder, int count) throws IOException {
        this.url = url;
        this.folder = folder;
        for (int i = 0; i < count; i++) {
            processes.add(start());
        }
    }

    /** Kills a random worker (SIGKILL) and starts another. */
    void killOne(RandomGenerator random) throws IOException, InterruptedException {
        Process victim = processes.remove(random.nextInt(processes.size()));
        victim.destroyForcibly().waitFor();
        processes.add(start());
    }

    /** Stops all workers gracefully. */
    @Override
    public void close() throws IOException, InterruptedException {
        for (Process process : processes) {
            process.getOutputStream().close();
        }
        for (Process process : processes) {
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                        "-cp",
                        System.getProperty("java.class.path"),
                        StormWorker.class.getName(),
                        url,
                        folder.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("workers.log").toFile()))
                .start();
    }
}
