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
final class Farewell {

    private static final Logger log = LoggerFactory.getLogger(Farewell.class);

    private final House house;

    Farewell(House house) {
        this.house = house;
    }

    void run() {
        house.lines().close();
        boolean interrupted = !drain();
        for (HeldLease lease : house.door().shut()) {
            log.warn(
                    "{} with token {} is still held after the drain time of {}; it is left to expire",
                    lease.key(),
                    lease.token(),
                    DurationText.format(house.settings().drainTime()));
            // Not released: its work may still run.
            lease.lose(LossCause.CLOSED);
        }
        house.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // An interrupt ends the waiting, not the closing.
    private boolean drain() {
        if (house.settings().drainTime().isZero()) {
            return true;
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        List<CompletableFuture<Void>> ends = List.of(over, house.door().empty());
        Timers.Scheduled limit =
                house.deadlines().after(LocalTime.capped(house.settings().drainTime()), () -> over.complete(null));
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
