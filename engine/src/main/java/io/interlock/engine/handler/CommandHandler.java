package io.interlock.engine.handler;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.RunId;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.engine.command.CommandSpec;
import io.interlock.engine.command.Exit;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.engine.command.GuardedProcess.CannotExecuteException;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.command.ProcessLaunch;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.time.CallDeadline;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers.Scheduled;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the work of a job by a command.
 *
 * <p>The command is started without a shell, in a session of its own (see {@link GuardedProcess}). Its input is the run's parameters
 * as JSON and a newline. It sees the worker's variables but none that begins with {@code INTERLOCK_}, those of its
 * {@link CommandSpec}, and
 *
 * <ul>
 *   <li>{@code INTERLOCK_KEY}, {@code INTERLOCK_TENANT}, {@code INTERLOCK_RUN_ID}, {@code INTERLOCK_ATTEMPT},
 *   <li>{@code INTERLOCK_TOKEN}, the fencing token to carry into every write,
 *   <li>{@code INTERLOCK_PARAM_…} for each top-level parameter that is a text, a number or a truth value: its name in capitals, with
 *       {@code _} for all but letters A-Z and digits; names that become the same are left out,
 *   <li>{@code TRACEPARENT} if the run has one.
 * </ul>
 *
 * <p>What it writes, to stdout or stderr, is the run's output, except for reports: lines like
 * {@code ::interlock stage=load progress=12/20} and {@code ::interlock result={"rows":17}}; the last result counts. Exit code 0 is
 * success. Any other, or a signal, is a failure that trying again may mend, unless the {@link CommandSpec} says otherwise. A program
 * that is not there or cannot be executed is a permanent failure.
 *
 * <p>When the work must stop, everything the command has started is sent TERM, and KILL shortly before its grace is over, or
 * before its lease ends if that is lost: this the guard sees to, also while this process is stopped or hangs. {@link #run} returns only when nothing of it is
 * left, so no lease is given back under work that goes on. Safe for use by many threads.
 */
public final class CommandHandler implements RunHandler {

    /** The command ended with an exit code other than 0. */
    public static final String COMMAND_FAILED = "COMMAND_FAILED";

    /** The command was ended by a signal that Interlock did not send. */
    public static final String COMMAND_KILLED = "COMMAND_KILLED";

    /** There is no such program, or it cannot be executed, or where it should work is no directory. */
    public static final String COMMAND_NOT_EXECUTABLE = "COMMAND_NOT_EXECUTABLE";

    /** The machine could not start it now. */
    public static final String COMMAND_NOT_STARTED = "COMMAND_NOT_STARTED";

    private static final Logger log = LoggerFactory.getLogger(CommandHandler.class);

    private static final String PARAMETER = CommandSpec.OURS + "PARAM_";
    private static final int LONGEST_NAME = 100;
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    /** Of the grace, the last quarter and at most this is for KILL, the last output and the report: then the work counts as stuck. */
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(5);

    private final CommandSpec spec;
    private final Environment environment;
    private final ThreadFactory threads;

    public CommandHandler(CommandSpec spec, Environment environment) {
        this.spec = spec;
        this.environment = environment;
        this.threads = environment.threads("interlock-command-io");
    }

    @Override
    public @Nullable String run(RunContext context) throws Exception {
        context.checkpoint();
        try (GuardedProcess process = start(context)) {
            OutputPump pump = new OutputPump(process.stdout(), context, spec.outputTail());
            CompletableFuture<Void> read = CompletableFuture.runAsync(pump, this::onThread);
            onThread(() -> feed(process.stdin(), context));
            Ended ended = await(process, context);
            awaitLastWords(read, process);
            return result(ended, pump, context);
        }
    }

    private record Ended(Exit exit, boolean stopped, boolean interrupted) {}

    private GuardedProcess start(RunContext context) throws PermanentFailureException, TransientFailureException {
        try {
            return GuardedProcess.start(
                    new ProcessLaunch(
                            spec.command(),
                            spec.directory(),
                            variables(spec, context, InheritedEnvironment.variables()),
                            Redirect.PIPE,
                            Redirect.PIPE,
                            null,
                            () -> LeasedWait.life(context)),
                    environment);
        } catch (CannotExecuteException | InvalidSettingException wrong) {
            throw new PermanentFailureException(COMMAND_NOT_EXECUTABLE, "the command " + wrong.getMessage(), wrong);
        } catch (IOException cannot) {
            throw new TransientFailureException(
                    COMMAND_NOT_STARTED,
                    "'" + spec.command().get(0) + "' could not be started: " + cannot.getMessage(),
                    null,
                    cannot);
        }
    }

    /** Writes the parameters, which the command need not read: that is why this has a thread of its own. */
    private static void feed(OutputStream stdin, RunContext context) {
        try (stdin) {
            stdin.write((context.run().spec().parameters() + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException unread) {
            log.debug("run {} did not read its parameters: {}", context.run().id(), unread.toString());
        }
    }

    private Ended await(GuardedProcess process, RunContext context) {
        CompletableFuture<Exit> exit = process.exit().toCompletableFuture();
        CompletableFuture<Void> stop = new CompletableFuture<>();
        Scheduled told = context.onStop(() -> stop.complete(null));
        boolean interrupted = false;
        LeasedWait wait = new LeasedWait(process, context, environment.ticker());
        try {
            wait.until(CompletableFuture.anyOf(exit, stop));
        } catch (InterruptedException toStop) {
            interrupted = true;
        } finally {
            told.cancel();
        }
        boolean stopped = !exit.isDone();
        if (stopped) {
            stop(process, exit, context, wait);
        }
        return new Ended(exit.join(), stopped, interrupted);
    }

    private void stop(GuardedProcess process, CompletableFuture<Exit> exit, RunContext context, LeasedWait wait) {
        Duration grace = context.grace();
        if (grace.isZero()) {
            process.signal(GuardedProcess.Signal.KILL);
            return;
        }
        process.signal(GuardedProcess.Signal.TERM);
        Duration margin = grace.dividedBy(4);
        Duration toEnd = grace.minus(margin.compareTo(LONGEST_MARGIN) < 0 ? margin : LONGEST_MARGIN);
        if (!wait.until(exit, toEnd)) {
            RunId run = context.run().id();
            log.warn("run {} did not end within {} of TERM; it is killed", run, DurationText.format(toEnd));
            process.signal(GuardedProcess.Signal.KILL);
        }
    }

    /** Its end closes its output, unless a process out of the guard's reach holds it open. */
    private void awaitLastWords(CompletableFuture<Void> read, GuardedProcess process) {
        if (LeasedWait.awaitEnd(read, LAST_WORDS, environment.ticker())) {
            return;
        }
        log.warn("the output of command {} is still open after its end; another process holds it", process.pid());
        onThread(() -> {
            try {
                process.stdout().close();
            } catch (IOException closed) {
                log.debug("closing output: {}", closed.toString());
            }
        });
    }

    private @Nullable String result(Ended ended, OutputPump pump, RunContext context) throws Exception {
        if (ended.stopped()) {
            Optional<StopRequest> stop = context.stopping();
            if (stop.isPresent()) {
                throw new RunStoppedException(stop.get());
            }
            throw new InterruptedException("interrupted; the command was stopped");
        }
        if (ended.interrupted()) {
            Thread.currentThread().interrupt();
        }
        Exit exit = ended.exit();
        if (exit.succeeded()) {
            return pump.result();
        }
        throw failure(exit, spec.outputTail() == 0 ? "" : pump.lastLines());
    }

    private Exception failure(Exit exit, String last) {
        String message = "'" + spec.command().get(0) + "' ended with " + exit
                + (last.isEmpty() ? "" : "; it last wrote:\n" + last);
        String code = switch (exit.kind()) {
            case EXITED -> COMMAND_FAILED;
            case SIGNALLED -> COMMAND_KILLED;
            case NOT_EXECUTABLE, NOT_FOUND -> COMMAND_NOT_EXECUTABLE;
            case NOT_STARTED -> COMMAND_NOT_STARTED;
        };
        return spec.mayHelpAgain(exit)
                ? new TransientFailureException(code, message)
                : new PermanentFailureException(code, message);
    }

    private void onThread(Runnable task) {
        threads.newThread(task).start();
    }

    static Map<String, String> variables(CommandSpec spec, RunContext context, Map<String, String> worker) {
        Map<String, String> variables = spec.inherited().of(worker);
        variables.putAll(spec.environment());
        variables.putAll(parameters(context.run().spec().parameters()));
        variables.put(CommandSpec.OURS + "KEY", context.key().name());
        variables.put(CommandSpec.OURS + "TENANT", context.key().tenant());
        variables.put(CommandSpec.OURS + "RUN_ID", context.run().id().toString());
        variables.put(CommandSpec.OURS + "TOKEN", context.token().toString());
        variables.put(CommandSpec.OURS + "ATTEMPT", Integer.toString(context.attempt()));
        // The worker's own would name a trace the run does not belong to.
        variables.remove("TRACEPARENT");
        context.traceparent().ifPresent(trace -> variables.put("TRACEPARENT", trace));
        return variables;
    }

    /**
     * A variable for each top-level parameter that is a text, a number or a truth value. Its name is in capitals, with {@code _}
     * for whatever is no letter A-Z or digit. Parameters whose names become the same are left out, all of them: which one is meant
     * is not ours to guess, and the JSON on stdin has them all.
     */
    static Map<String, String> parameters(String json) {
        Map<String, String> variables = new HashMap<>();
        Set<String> taken = new HashSet<>();
        JsonText.scalars(json, (name, value) -> {
            String variable = variable(name);
            if (!taken.add(variable)) {
                variables.remove(variable);
            } else if (!name.isEmpty() && name.length() <= LONGEST_NAME && value.indexOf('\0') < 0) {
                variables.put(variable, value);
            }
        });
        return variables;
    }

    private static String variable(String name) {
        StringBuilder variable = new StringBuilder(PARAMETER);
        name.toUpperCase(Locale.ROOT).chars().forEach(c -> {
            boolean plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            variable.append(plain ? (char) c : '_');
        });
        return variable.toString();
    }

    /**
     * Waits for a command, and meanwhile lets it live for as long as its lease can be relied upon, and no longer. Of the last sixth of a
     * lease, which is for stopping, TERM has half; the other is for the guard, and for a machine that is slow.
     */
    record LeasedWait(GuardedProcess process, RunContext context, Ticker ticker) {

        private static final int LOOKS = 12;
        private static final int TO_STOP = 12;

        /** How long a command that is started now may go on. */
        static Duration life(RunContext context) {
            return context.remaining().plus(toStop(context));
        }

        private static Duration toStop(RunContext context) {
            return lease(context).dividedBy(TO_STOP);
        }

        private static Duration lease(RunContext context) {
            return context.run().spec().terms().ttl();
        }

        void until(Future<?> future) throws InterruptedException {
            Duration every = every();
            while (true) {
                extend();
                try {
                    future.get(every.toNanos(), TimeUnit.NANOSECONDS);
                    return;
                } catch (TimeoutException goesOn) {
                    // Another word to the guard.
                } catch (ExecutionException ended) {
                    return;
                }
            }
        }

        /** Whether {@code future} came to an end within {@code most}. An interrupt meanwhile is kept for later. */
        boolean until(Future<?> future, Duration most) {
            Duration every = every();
            Duration left = most;
            while (left.compareTo(every) > 0) {
                extend();
                if (awaitEnd(future, every, ticker)) {
                    return true;
                }
                left = left.minus(every);
            }
            extend();
            return awaitEnd(future, left, ticker);
        }

        private Duration every() {
            return lease(context).dividedBy(LOOKS);
        }

        private void extend() {
            process.liveFor(context::remaining, toStop(context));
        }

        /** Whether {@code future} came to an end within {@code most}. An interrupt meanwhile is kept: it says to stop, and this is how. */
        static boolean awaitEnd(Future<?> future, Duration most, Ticker ticker) {
            try (CallDeadline deadline = new CallDeadline(ticker, most)) {
                deadline.await(future);
                return true;
            } catch (TimeoutException tooLong) {
                return false;
            } catch (ExecutionException ended) {
                return true;
            }
        }
    }
}
