package io.interlock.engine.command;

import io.interlock.engine.command.Guard.Tools;
import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command in a session of its own, with a guard beside it.
 *
 * <p>This process starts the guard and {@code launch.sh}. That starts {@code leader.sh} in a new session, which reports to the guard
 * and becomes the command; until then nothing of the command has begun, so there is no moment in which it runs unguarded.
 */
final class SessionProcess extends GuardedProcess {

    private static final Logger log = LoggerFactory.getLogger(SessionProcess.class);

    static final String VARIABLE = "INTERLOCK_GUARD";
    private static final String LAUNCH = Tools.script("launch.sh");
    private static final String LEADER = Tools.script("leader.sh");

    // At the end of a line; before it may stand what setsid has begun to say.
    private static final Pattern LED = Pattern.compile("leader (\\d+)$");

    private static final String OVERDUE = "overdue";
    private static final int NO_PROCESS = -1;
    private static final int KILLED = 9;

    private final Tools tools;
    private final Guard guard;
    private final Guard.Leash leash;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final CompletableFuture<Void> rescued = new CompletableFuture<>();

    // Written by the thread that starts it before begun, afterwards by the thread that waits for its end.
    private volatile long leader = NO_PROCESS;
    private boolean over;
    private volatile boolean overdue;
    private boolean signalled;
    private @Nullable Integer unexecuted;

    private SessionProcess(Tools tools, Guard guard, Process process, Guard.Leash leash) {
        super(process);
        this.tools = tools;
        this.guard = guard;
        this.leash = leash;
    }

    static SessionProcess start(ProcessLaunch launch, List<String> command, Tools tools, Environment environment)
            throws IOException {
        // Before anything else: without a thread that waits for its end, nothing may begin.
        CompletableFuture<SessionProcess> starting = new CompletableFuture<>();
        environment
                .threads("interlock-command")
                .newThread(() -> await(starting))
                .start();
        try {
            Guard guard = Guard.start(tools, environment);
            SessionProcess started = begin(launch, command, tools, guard);
            starting.complete(started);
            guard.onDeath(started::rescue);
            started.listen(false);
            started.begun.complete(null);
            return started;
        } finally {
            starting.cancel(false);
        }
    }

    private static SessionProcess begin(ProcessLaunch launch, List<String> command, Tools tools, Guard guard)
            throws IOException {
        try {
            Guard.Leash leash = new Guard.Leash(guard);
            if (launch.life() != null) {
                // Before anything of it begins: this process may be stopped at any time.
                leash.extend(launch.life(), Duration.ZERO);
            }
            Process process = launch.builder(commandLine(command, tools, guard), marked(launch, guard))
                    .start();
            return new SessionProcess(tools, guard, process, leash);
        } catch (IOException | RuntimeException | Error failed) {
            // The machine may have begun it all the same, such as one without a thread left for its pipes.
            guard.end();
            throw failed;
        }
    }

    private static List<String> commandLine(List<String> command, Tools tools, Guard guard) {
        String pid = Long.toString(guard.pid());
        List<String> line = new ArrayList<>(
                List.of(tools.setsid(), tools.sh(), "-c", LAUNCH, "interlock", pid, tools.exact() ? "exact" : "plain"));
        line.add(tools.setsid());
        if (tools.exact()) {
            line.addAll(List.of("--fork", "--wait"));
        }
        line.addAll(List.of(tools.sh(), "-c", LEADER, "interlock", pid));
        line.addAll(command);
        return line;
    }

    /** A command inside a guarded command keeps the mark of the outer one, so that each guard finds it. */
    private static Map<String, String> marked(ProcessLaunch launch, Guard guard) {
        Map<String, String> environment = new HashMap<>(launch.environment());
        environment.merge(VARIABLE, guard.mark(), (outer, mark) -> outer + ":" + mark);
        return environment;
    }

    @Override
    public long pid() {
        return leader == NO_PROCESS ? process.pid() : leader;
    }

    @Override
    public void signal(GuardedProcess.Signal signal) {
        guard.tell("signal " + signal);
    }

    @Override
    public void liveFor(Supplier<Duration> left, Duration more) {
        leash.extend(left, more);
    }

    @Override
    public boolean overdue() {
        return overdue;
    }

    @Override
    public void bequeath(Path file) {
        String path = file.toAbsolutePath().toString();
        if (path.indexOf('\n') < 0) {
            guard.tell("cleanup " + path);
        }
    }

    private static void await(CompletableFuture<SessionProcess> starting) {
        SessionProcess started;
        try {
            started = starting.join();
        } catch (CancellationException notStarted) {
            return;
        }
        started.await();
    }

    private void await() {
        waitUninterruptibly();
        guard.tell("end");
        begun.join();
        listen(true);
        if (!over) {
            rescued.join();
        }
        guard.close();
        end(howItEnded());
    }

    /** Hears what the guard says: until the command has begun, or until its last word. */
    private void listen(boolean toTheEnd) {
        for (String line = over ? null : guard.next(); line != null; line = over ? null : guard.next()) {
            Matcher led = LED.matcher(line);
            if (led.find()) {
                leader = Long.parseLong(led.group(1));
                signalled |= led.start() > 0;
                if (!toTheEnd) {
                    return;
                }
            } else if (line.startsWith("unexecuted ")) {
                unexecuted = Integer.valueOf(line.substring("unexecuted ".length()));
            } else if (line.endsWith(OVERDUE)) {
                overdue = true;
                signalled |= line.length() > OVERDUE.length();
            } else if (line.startsWith("survivors ")) {
                log.error("command {} left processes that cannot be killed: {}", leader, line.substring(10));
            } else if (line.equals("over")) {
                over = true;
            } else {
                // The only other voice is that of setsid, and it speaks up only if the command did not exit: piece by
                // piece.
                signalled = true;
            }
        }
    }

    private Exit howItEnded() {
        int status = process.exitValue();
        if (leader == NO_PROCESS) {
            return new Exit(Exit.Kind.NOT_STARTED, Exit.CANNOT_START);
        }
        if (!over) {
            return Exit.signalled(KILLED);
        }
        if (unexecuted != null) {
            return Exit.unexecuted(unexecuted);
        }
        if (tools.exact()) {
            // setsid then exits with the low byte of the wait status: the signal, and 128 for a core dump.
            return signalled ? Exit.signalled(status & 0x7f) : Exit.exited(status);
        }
        return asShellsTell(status);
    }

    /** The guard was killed: the command must not go on without, so another guard is started to end it. */
    private void rescue() {
        log.error("the guard of command {} was killed; the command is killed too", leader);
        try {
            Guard other = Guard.start(tools, guard.mark());
            other.tell("keep " + process.pid());
            if (leader != NO_PROCESS) {
                other.tell("leader " + leader);
            }
            other.end();
        } catch (IOException cannot) {
            log.error("command {} may leave processes behind: no other guard could be started", leader, cannot);
            ProcessHandle.of(leader).ifPresent(known -> {
                known.descendants().forEach(ProcessHandle::destroyForcibly);
                known.destroyForcibly();
            });
        } finally {
            rescued.complete(null);
        }
    }

    /** No other part knows the thread that waits, so none has a reason to interrupt it; if it is interrupted, it waits on. */
    private void waitUninterruptibly() {
        while (true) {
            try {
                process.waitFor();
                return;
            } catch (InterruptedException stray) {
                log.debug("interrupted while waiting for command {}", leader);
            }
        }
    }
}
