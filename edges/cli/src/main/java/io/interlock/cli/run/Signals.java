package io.interlock.cli.run;

import io.interlock.cli.text.ExitCode;
import io.interlock.engine.command.Signal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * TERM, INT and HUP of this process: somebody wants the whole thing to end. Until there is a command, the thread that waits is
 * interrupted; then they are passed on.
 *
 * <p>By {@code sun.misc.Signal} and not by a shutdown hook: a hook cannot tell which signal came, runs while the JVM is already on
 * its way out with an exit code of its own, and we want to wait for the command and end as it ended.
 *
 * <p>Safe for use by many threads.
 */
final class Signals {

    private static final Map<Signal, Integer> NUMBERS = Map.of(Signal.HUP, 1, Signal.INT, 2, Signal.TERM, 15);

    private final AtomicReference<@Nullable Signal> first = new AtomicReference<>();
    private volatile Consumer<Signal> receiver;

    private Signals(Thread waiting) {
        receiver = signal -> waiting.interrupt();
    }

    /** From now on, they interrupt the thread that calls this. */
    static Signals catchAll() {
        Signals signals = new Signals(Thread.currentThread());
        NUMBERS.keySet().forEach(signals::install);
        return signals;
    }

    /** From now on, they are for {@code receiver}. */
    void to(Consumer<Signal> receiver) {
        this.receiver = receiver;
        Signal before = first.get();
        if (before != null) {
            receiver.accept(before);
        }
    }

    /** The first that came. */
    Optional<Signal> received() {
        return Optional.ofNullable(first.get());
    }

    /** As which a process ends that {@code signal} has ended. */
    static int exitCode(Signal signal) {
        return ExitCode.SIGNAL + NUMBERS.getOrDefault(signal, 0);
    }

    private void install(Signal signal) {
        ProcessSignal.handle(signal.name(), () -> {
            first.compareAndSet(null, signal);
            receiver.accept(signal);
        });
    }
}
