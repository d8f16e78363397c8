package io.interlock.engine.command;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.engine.command.Guard.Tools;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A command of which nothing is left when it has ended, when it was killed, or when this process is gone, {@code kill -9}
 * included.
 *
 * <p>On Linux the command has a session and a process group of its own, and a small process, the guard, watches over it. When the
 * command ends, or this process does, the guard kills what is left of the session, processes that left it but still have its mark in
 * the environment ({@code INTERLOCK_GUARD}), and the children of all these, until none is left. Out of reach is only a process that
 * leaves the session, wipes its environment and loses its parent, all before the guard looks; and one of another user. The guard also ends
 * a command that {@linkplain #liveFor may go on for some time only}, whatever this process does or cannot do by then. If the
 * {@code setsid} here cannot wait (it is not util-linux's), a signal cannot be told from an exit code of 128 + N.
 *
 * <p>Elsewhere, such as on macOS, the command is a plain child process: its descendants are killed with it as far as they can be
 * found by then, INT, HUP and QUIT are sent as TERM, a {@code kill -9} of this process leaves it running, and {@link #liveFor} and
 * {@link #bequeath} do nothing.
 *
 * <p>Safe for use by many threads.
 */
public abstract sealed class GuardedProcess implements AutoCloseable
        permits SessionProcess, GuardedProcess.PlainProcess {

    /** The first number that a shell answers for a signal, less the number of that signal. */
    private static final int SIGNALLED = 128;

    private static final String USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

    private static final int LAST_SIGNAL = 64;
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    /** What this process has started: the command, or what leads to it. */
    final Process process;

    private final CompletableFuture<Exit> ended = new CompletableFuture<>();

    GuardedProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a command.
     *
     * @throws CannotExecuteException if there is no such program, or it cannot be executed
     * @throws IOException if the machine cannot start it now
     */
    public static GuardedProcess start(ProcessLaunch launch, Environment environment) throws IOException {
        List<String> command = resolve(launch);
        Optional<Tools> tools = Tools.here();
        return tools.isPresent()
                ? SessionProcess.start(launch, command, tools.get(), environment)
                : PlainProcess.start(launch, command, environment);
    }

    /** Looks at what this machine offers, which takes a few processes, on another thread: a start that follows is sooner done. */
    public static void prepare(Environment environment) {
        environment.threads("interlock-command").newThread(Tools::here).start();
    }

    /**
     * Finds out whether a command could be started, without starting it: for callers that have to wait before.
     *
     * @throws CannotExecuteException if there is no such program, or it cannot be executed
     */
    public static void check(ProcessLaunch launch) {
        resolve(launch);
    }

    /** The process id of the command, which is also that of its group. */
    public abstract long pid();

    /** Its input, if that is a pipe. */
    public final OutputStream stdin() {
        return process.getOutputStream();
    }

    /** Its output, if that is a pipe. */
    public final InputStream stdout() {
        return process.getInputStream();
    }

    /**
     * Sends a signal to everything the command has started and that is still in its session; {@link Signal#KILL} also to
     * processes that left it. Returns at once; nothing happens if it has ended.
     */
    public abstract void signal(Signal signal);

    /**
     * The command may go on for as long as {@code left} says, and {@code more}, from now, unless this is called again: then the guard
     * kills it, also if this process is stopped or hangs. It is as late as the machine is slow, and early by a twelfth of the first
     * such time at the most. A time in which the machine sleeps counts. If nothing is left, all stays as it was. Returns at once.
     *
     * @param left asked after the time is taken: a pause in between makes it shorter, not longer
     */
    public void liveFor(Supplier<Duration> left, Duration more) {}

    /** Whether the guard ended it because its {@linkplain #liveFor time} was over; known when it has {@linkplain #exit() ended}. */
    public boolean overdue() {
        return false;
    }

    /**
     * {@code file} is of no use without this process: if this process is gone before the command has ended, the guard removes it.
     * Otherwise that is left to this process. Returns at once.
     */
    public void bequeath(Path file) {}

    /** Its end: the command has ended, and nothing of it is left. */
    public CompletionStage<Exit> exit() {
        return ended.minimalCompletionStage();
    }

    public Exit waitFor() throws InterruptedException {
        return waitFor(FOR_EVER).orElseThrow();
    }

    /** Waits for {@link #exit()}, but not for longer than {@code most}. */
    public Optional<Exit> waitFor(Duration most) throws InterruptedException {
        try {
            return Optional.of(ended.get(most.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException goesOn) {
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Kills what is left, and returns when nothing is. */
    @Override
    public void close() {
        if (!ended.isDone()) {
            signal(Signal.KILL);
        }
        ended.join();
    }

    /** How it ended, by a status that cannot tell a signal from an exit code of 128 + N. */
    static Exit asShellsTell(int status) {
        boolean signalled = status > SIGNALLED && status <= SIGNALLED + LAST_SIGNAL;
        return signalled ? Exit.signalled(status - SIGNALLED) : Exit.exited(status);
    }

    void end(Exit exit) {
        ended.complete(exit);
    }

    /**
     * The command with its program as a path, found as {@code execvp} would, before anything is started.
     *
     * @throws CannotExecuteException if there is no such program, or it cannot be executed
     */
    private static List<String> resolve(ProcessLaunch launch) {
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

    /** A command without a guard, where there is none to be had. */
    static final class PlainProcess extends GuardedProcess {

        private PlainProcess(Process process) {
            super(process);
        }

        static PlainProcess start(ProcessLaunch launch, List<String> command, Environment environment)
                throws IOException {
            PlainProcess started = new PlainProcess(
                    launch.builder(command, launch.environment()).start());
            try {
                environment
                        .threads("interlock-command")
                        .newThread(started::await)
                        .start();
            } catch (RuntimeException | Error noThread) {
                started.signal(Signal.KILL);
                started.await();
                throw noThread;
            }
            return started;
        }

        @Override
        public long pid() {
            return process.pid();
        }

        @Override
        public void signal(Signal signal) {
            // Listed before the first is killed: a process that loses its parent is found no more.
            List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                    .toList();
            for (ProcessHandle one : all) {
                if (signal == Signal.KILL) {
                    one.destroyForcibly();
                } else {
                    one.destroy();
                }
            }
        }

        private void await() {
            end(asShellsTell(process.onExit().join().exitValue()));
        }
    }

    /** A signal that can be sent to everything a command has started. */
    public enum Signal {
        /** The terminal is gone. */
        HUP,
        /** Ctrl-C. */
        INT,
        /** Ctrl-\. */
        QUIT,
        /** Please end. */
        TERM,
        /** End at once; cannot be ignored. */
        KILL,
        /** Whatever the command takes it for. */
        USR1,
        /** Whatever the command takes it for. */
        USR2
    }

    /** There is no such program, or it may not be executed. Nothing was started. */
    public static final class CannotExecuteException extends InterlockException {

        private static final long serialVersionUID = 1L;

        private final int exitCode;

        CannotExecuteException(int exitCode, String message) {
            super(message);
            this.exitCode = exitCode;
        }

        /** 127 if it was not found, 126 if it was but cannot be executed: what a shell would answer. */
        public int exitCode() {
            return exitCode;
        }
    }
}
