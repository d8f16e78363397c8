package io.interlock.cli.run;

import io.interlock.DurationText;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.cli.run.Wrapper.RunSettings;
import io.interlock.cli.text.ExitCode;
import io.interlock.client.Json;
import io.interlock.engine.command.Exit;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.run.Ending;
import io.interlock.run.RunError;
import io.interlock.service.Facts;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches over the command while it runs, and stops it when it must: the lease is lost, the time is over, a stop was requested. The
 * first reason counts, but a lost lease counts before all others. Safe for use by many threads.
 */
final class Supervision {

    private static final int LOOKS = 12;
    private static final int TO_STOP = 8;
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    private final RunSettings settings;
    private final GuardedProcess process;
    private final Timers timers;
    private final Narrator narrator;
    private @Nullable Reason reason;
    private String why = "";

    // Shared by the threads that print why the command is stopped, so that none waits for a slow reader of another.
    private final ReadWriteLock words = new ReentrantReadWriteLock();

    private enum Reason {
        SIGNAL,
        CANCELLED,
        TIMEOUT,
        LOST
    }

    Supervision(RunSettings settings, GuardedProcess process, Timers timers, Narrator narrator) {
        this.settings = settings;
        this.process = process;
        this.timers = timers;
        this.narrator = narrator;
    }

    /** How long a command that is started now may go on without another word, or {@code null} for as long as it likes. */
    static @Nullable Supplier<Duration> life(RunSettings settings, HeldKey held) {
        return settings.onLost() == RunSettings.OnLost.WARN
                ? null
                : () -> held.remaining().plus(mostToStop(settings));
    }

    void watch(HeldKey held, Signals signals) {
        held.onStop(stop -> {
            if (stop.kind() == HeldKey.Stop.Kind.LOST) {
                inWords(() -> lost(held, stop.why()));
            } else {
                inWords(() -> cancelled(stop.why()));
            }
        });
        signals.to(this::passOn);
        if (settings.onLost() != RunSettings.OnLost.WARN) {
            letLive(held);
        }
        if (settings.timeout() != null) {
            Duration limit = settings.timeout();
            timers.after(limit, () -> inWords(() -> timedOut(limit)));
        }
    }

    // A wrapper that is stopped or hangs hears of nothing; the guard, who is told this, ends the command before the
    // lease does. One that was late may find nothing left, and yet a heartbeat that is under way confirms the lease.
    private void letLive(HeldKey held) {
        process.liveFor(held::remaining, mostToStop(settings));
        timers.after(settings.order().lease().dividedBy(LOOKS), () -> letLive(held));
    }

    // Of the last sixth of the lease, which is for stopping.
    private static Duration mostToStop(RunSettings settings) {
        return settings.order().lease().dividedBy(TO_STOP);
    }

    /** Waits for the end of the command, to which {@code signals} go no more then. */
    Ended await(HeldKey held, Signals signals) {
        Exit exit;
        while (true) {
            try {
                exit = process.waitFor();
                break;
            } catch (InterruptedException passedOn) {
                // A signal that came just before it was to be passed on.
            }
        }
        // A repeated signal ends the report to the store or server.
        signals.keep();
        hearTheWords();
        if (process.overdue() && !isLost()) {
            // This process was too slow to notice it before the guard did.
            lost(held, "no heartbeat was confirmed in time");
        }
        synchronized (this) {
            return new Ended(exit, code(exit), ending(exit), reason == Reason.LOST);
        }
    }

    // Other threads print them, and this process must not end before that, unless they have no reader.
    private void hearTheWords() {
        try {
            if (words.writeLock().tryLock(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
                words.writeLock().unlock();
            }
        } catch (InterruptedException insisted) {
            // Then without them.
        }
    }

    record Ended(Exit exit, int exitCode, Ending ending, boolean lost) {}

    private void passOn(GuardedProcess.Signal signal) {
        because(Reason.SIGNAL, "stopped by SIG" + signal);
        process.signal(signal);
        killAfter(settings.order().grace());
    }

    // The command is stopped first, then the message is printed: its reader may be slow.
    private void inWords(Runnable stop) {
        words.readLock().lock();
        try {
            stop.run();
        } finally {
            words.readLock().unlock();
        }
    }

    private void cancelled(String wish) {
        if (because(Reason.CANCELLED, wish)) {
            stop(settings.order().grace());
            narrator.say("cancelled", Facts.with("why", wish), wish + "; stopping " + program(), List.of());
        }
    }

    private void timedOut(Duration limit) {
        String told = "took longer than its limit of " + DurationText.format(limit);
        if (because(Reason.TIMEOUT, told)) {
            stop(settings.order().grace());
            narrator.say("timeout", Facts.with("limit", limit), program() + " " + told + "; stopping it", List.of());
        }
    }

    private void lost(HeldKey held, String cause) {
        synchronized (this) {
            reason = Reason.LOST;
            why = cause;
        }
        switch (settings.onLost()) {
            // The guard's deadline stays: a late thread must not give the command more time than the lease has.
            case TERM -> stop(shorter(settings.order().grace(), mostToStop(settings)));
            case KILL -> process.signal(GuardedProcess.Signal.KILL);
            case WARN -> {}
        }
        Facts facts =
                Facts.with("key", settings.key()).and("token", held.token()).and("why", cause);
        String done = settings.onLost() == RunSettings.OnLost.WARN
                ? program() + " (pid " + process.pid() + ") goes on, as --on-lost warn says."
                : program() + " (pid " + process.pid() + ") is stopped; another run may start soon.";
        narrator.say(
                "lost",
                facts,
                "LEASE LOST for " + settings.key() + " (token " + held.token() + "): " + cause,
                List.of(done, "Whatever it writes with token " + held.token() + " from now on must be refused."));
    }

    private synchronized boolean isLost() {
        return reason == Reason.LOST;
    }

    private synchronized boolean because(Reason news, String told) {
        if (reason != null) {
            return false;
        }
        reason = news;
        why = told;
        return true;
    }

    private void stop(Duration grace) {
        process.signal(GuardedProcess.Signal.TERM);
        killAfter(grace);
    }

    private void killAfter(Duration grace) {
        timers.after(grace, () -> process.signal(GuardedProcess.Signal.KILL));
    }

    private int code(Exit exit) {
        if (reason == Reason.LOST && settings.onLost() != RunSettings.OnLost.WARN) {
            return ExitCode.LEASE_LOST;
        }
        return reason == Reason.TIMEOUT ? ExitCode.TIMEOUT : exit.code();
    }

    private Ending ending(Exit exit) {
        String ended = program() + " ended with " + exit;
        if (reason == Reason.TIMEOUT) {
            return new Ending.TimedOut(new RunError("TIMEOUT", program() + " " + why));
        }
        if (reason != null && reason != Reason.LOST) {
            String code = reason == Reason.CANCELLED ? RunError.CANCELLED : Wrapper.INTERRUPTED;
            return new Ending.Aborted(new RunError(code, why + "; " + ended));
        }
        return exit.succeeded()
                ? new Ending.Succeeded(Json.line(Facts.with("exitCode", 0)))
                : new Ending.Failed(new RunError("EXIT_" + exit.code(), ended), false, null);
    }

    private String program() {
        return settings.program();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
