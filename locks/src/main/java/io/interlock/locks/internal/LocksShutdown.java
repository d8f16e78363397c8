package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.LossCause;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How locks are closed, once nobody new comes in: those who wait are sent away, leases are renewed until their work has
 * closed them or the drain time is over, and only then do the threads end.
 */
final class LocksShutdown {

    private static final Logger log = LoggerFactory.getLogger(LocksShutdown.class);

    private final LocksRuntime runtime;

    LocksShutdown(LocksRuntime runtime) {
        this.runtime = runtime;
    }

    void run() {
        runtime.lines().close();
        boolean interrupted = !drain();
        for (HeldLease lease : runtime.gate().shut()) {
            log.warn(
                    "{} with token {} is still held after the drain time of {}; it is left to expire",
                    lease.key(),
                    lease.token(),
                    DurationText.format(runtime.settings().drainTime()));
            // Not released: its work may still run.
            lease.lose(LossCause.CLOSED);
        }
        runtime.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // An interrupt ends the waiting, not the closing.
    private boolean drain() {
        if (runtime.settings().drainTime().isZero()) {
            return true;
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        List<CompletableFuture<Void>> ends = List.of(over, runtime.gate().empty());
        Timers.Scheduled limit =
                runtime.deadlines().after(LocalTime.capped(runtime.settings().drainTime()), () -> over.complete(null));
        try {
            CompletableFuture.anyOf(ends.toArray(CompletableFuture[]::new)).get();
            return true;
        } catch (InterruptedException interrupted) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } finally {
            limit.cancel();
        }
    }
}
