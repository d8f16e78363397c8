package io.interlock.tck.process;

import io.interlock.time.Environment;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link LockWorker} in a separate JVM, as seen by the test. Not thread-safe. */
public final class WorkerProcess implements AutoCloseable {

    private static final int ANSWER_SECONDS = 55;

    private final Process process;
    private final Path log;
    private final BufferedWriter commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private int rests;

    private WorkerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        commands = process.outputWriter(StandardCharsets.UTF_8);
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        Environment.system()
                .threads("worker-" + process.pid())
                .newThread(() -> pump(lines))
                .start();
    }

    /** Starts a worker on the store at {@code url}, without waiting until it is ready. */
    public static WorkerProcess start(String url) throws IOException {
        Path log = Files.createTempFile("interlock-worker", ".log");
        log.toFile().deleteOnExit();
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockWorker.class.getName(),
                url);
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        return new WorkerProcess(process, log);
    }

    /** Waits until it is ready. */
    public WorkerProcess ready() throws InterruptedException {
        String answer = answer();
        if (!answer.equals("ready")) {
            throw new IllegalStateException("a worker began with: " + answer);
        }
        return this;
    }

    /** Sends a command and waits for its answer. */
    public String ask(String command) throws IOException, InterruptedException {
        tell(command);
        return answer();
    }

    /** Sends a command; the answer is read later. */
    public void tell(String command) throws IOException {
        commands.write(command);
        commands.newLine();
        commands.flush();
    }

    /** The next answer. */
    public String answer() throws InterruptedException {
        String answer = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new IllegalStateException("no answer within " + ANSWER_SECONDS + " s; it said:\n" + log());
        }
        return answer;
    }

    /** Has it give back what it holds and leave its store, and forgets what it said. Returns whether it lives and has done so. */
    boolean rest() throws IOException, InterruptedException {
        if (!process.isAlive()) {
            return false;
        }
        // A test that failed may have left it paused, or with an answer on its way.
        resume();
        tell("rest " + ++rests);
        String answer = answer();
        while (!answer.equals("rested " + rests) && !answer.startsWith("error ")) {
            answer = answer();
        }
        return !answer.startsWith("error ");
    }

    /** Has one that rested open the store at {@code url}, without waiting until it is ready. */
    WorkerProcess again(String url) throws IOException {
        tell("open " + url);
        return this;
    }

    /** Kills it at once (SIGKILL). */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Requests it to end (SIGTERM). */
    public void terminate() throws IOException, InterruptedException {
        signal("TERM");
    }

    /** Waits for its end, and returns its exit code. */
    public int exitCode() throws InterruptedException {
        if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("it did not end; it said:\n" + log());
        }
        return process.exitValue();
    }

    /** Pauses it (SIGSTOP), like a long pause of its machine. */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Continues it. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    /** Its output besides the answers. */
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        kill();
        Files.deleteIfExists(log);
    }

    private void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IllegalStateException("kill -" + name + " ended with " + exit);
        }
    }

    private void pump(BufferedReader lines) {
        try (lines) {
            lines.lines().forEach(answers::add);
        } catch (IOException | UncheckedIOException ended) {
            // The process was killed while it wrote; a waiting caller gets this error.
            answers.add("error " + ended);
        }
    }
}
