package io.interlock.benchmark.peer;

import io.interlock.benchmark.server.PostgresAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A JVM of its own that does runs. Used by one thread. */
public final class WorkerProcess implements AutoCloseable {

    private static final Duration TO_OBEY = Duration.ofSeconds(60);
    private static final Duration TO_END = Duration.ofSeconds(10);

    private final Process process;
    private final OutputStream orders;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<Start> starts = new LinkedBlockingQueue<>();
    private volatile long done;

    private WorkerProcess(Process process) {
        this.process = process;
        this.orders = process.getOutputStream();
        Thread reader = new Thread(this::read, "worker-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts it; it does nothing yet. */
    public static WorkerProcess start(RunPeers peer, PostgresAddress address) throws IOException {
        return new WorkerProcess(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xms256m",
                        "-Xmx1g",
                        "-Dinterlock.home=" + System.getProperty("interlock.home", ""),
                        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                        "-cp",
                        System.getProperty("java.class.path"),
                        WorkerMain.class.getName(),
                        peer.name(),
                        Integer.toString(address.port()),
                        address.database())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Lets it work, and say when each run starts if {@code each}. Returns when it does. */
    public void open(int slots, boolean each) throws IOException, InterruptedException {
        order("open " + slots + " " + (each ? "each" : "count"));
        await("opened");
    }

    /** Lets it work, and does not wait until it does. */
    public void beginOpen(int slots) throws IOException {
        order("open " + slots + " count");
    }

    /** Lets it stop working. The process stays. */
    public void stop() throws IOException, InterruptedException {
        answers.clear();
        order("close");
        await("closed");
    }

    /** How many runs it has done since it was started. */
    public long done() {
        return done;
    }

    /** The next run that started, or {@code null} if none did in time. */
    public @Nullable Start nextStart(Duration wait) throws InterruptedException {
        return starts.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() throws IOException {
        orders.close();
        try {
            if (!process.waitFor(TO_END.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException stop) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void order(String line) throws IOException {
        orders.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        orders.flush();
    }

    private void await(String answer) throws InterruptedException {
        String said = answers.poll(TO_OBEY.toSeconds(), TimeUnit.SECONDS);
        if (!answer.equals(said)) {
            throw new IllegalStateException("a worker process said " + said + " instead of " + answer);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", 3);
                switch (words[0]) {
                    case "done" -> done = Long.parseLong(words[1]);
                    case "started" -> starts.add(new Start(words[2], Long.parseLong(words[1])));
                    default -> answers.add(line);
                }
            }
        } catch (IOException ended) {
            answers.add("nothing: " + ended);
        }
    }

    /**
     * A run that started.
     *
     * @param name its name
     * @param nanos when, by the clock that all processes of this machine share
     */
    public record Start(String name, long nanos) {}
}
