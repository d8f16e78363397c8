package io.interlock.cli.run;

import io.interlock.cli.text.ExitCode;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.engine.command.ProcessSignal;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * TERM, INT and HUP of this process. They interrupt a wait and are passed on to the command; in between they are kept, so that a step
 * under way is not cut off, unless the signal is repeated.
 *
 * <p>By {@code sun.misc.Signal} and not by a shutdown hook: a hook cannot tell which signal came, runs while the JVM is already on
 * its way out with an exit code of its own, and we want to wait for the command and end as it ended.
 *
 * <p>Safe for use by many threads.
 */
public final class Signals {

    private static final Map<GuardedProcess.Signal, Integer> NUMBERS =
            Map.of(GuardedProcess.Signal.HUP, 1, GuardedProcess.Signal.INT, 2, GuardedProcess.Signal.TERM, 15);

    // timeout(1) and others send each signal twice, to the process and to its group.
    private static final long INSISTS = Duration.ofSeconds(1).toNanos();

    private final Ticker ticker;
    private GuardedProcess.@Nullable Signal first;
    private long firstAt;
    private @Nullable Consumer<GuardedProcess.Signal> receiver;

    Signals(Ticker ticker) {
        this.ticker = ticker;
    }

    /** From now on, they are kept. */
    static Signals catchAll(Ticker ticker) {
        Signals signals = new Signals(ticker);
        NUMBERS.keySet().forEach(signals::install);
        return signals;
    }

    /** From now on, they are for {@code receiver}; the first as well, if it came before. */
    synchronized void to(Consumer<GuardedProcess.Signal> receiver) {
        this.receiver = receiver;
        if (first != null) {
            receiver.accept(first);
        }
    }

    /** From now on, they are kept again. */
    synchronized void keep() {
        receiver = null;
    }

    /** Waits for something on this thread, which they interrupt meanwhile, and at no other time. */
    <T> T interrupting(Wait<T> wait) throws InterruptedException {
        Thread waiting = Thread.currentThread();
        to(signal -> waiting.interrupt());
        try {
            return wait.await();
        } finally {
            synchronized (this) {
                receiver = null;
                Thread.interrupted();
            }
        }
    }

    interface Wait<T> {
        T await() throws InterruptedException;
    }

    synchronized Optional<GuardedProcess.Signal> received() {
        return Optional.ofNullable(first);
    }

    /** As which a process ends that {@code signal} has ended. */
    static int exitCode(GuardedProcess.Signal signal) {
        return ExitCode.SIGNAL + NUMBERS.getOrDefault(signal, 0);
    }

    private void install(GuardedProcess.Signal signal) {
        ProcessSignal.handle(signal.name(), () -> came(signal));
    }

    synchronized void came(GuardedProcess.Signal signal) {
        if (first == null) {
            first = signal;
            firstAt = ticker.nanos();
        }
        if (receiver != null) {
            receiver.accept(signal);
        } else if (ticker.nanos() - firstAt > INSISTS) {
            // A store or server does not answer, and a repeated signal means not to wait for it.
            Runtime.getRuntime().halt(exitCode(signal));
        }
    }
}
