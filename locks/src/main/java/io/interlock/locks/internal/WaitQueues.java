package io.interlock.locks.internal;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The lines of those who wait in this process: one for each key that somebody waits for, and none for any other. */
final class WaitQueues {

    private final LocksRuntime runtime;
    private final Map<LockKey, WaitQueue> lines = new ConcurrentHashMap<>();
    private final Map<AcquireWaiter, LockKey> places = new ConcurrentHashMap<>();
    private final AtomicLong tickets = new AtomicLong();

    WaitQueues(LocksRuntime runtime) {
        this.runtime = runtime;
    }

    /** Whether somebody waits for one of {@code keys}, and for which. */
    @Nullable
    LockKey busy(Collection<LockKey> keys) {
        for (LockKey key : keys) {
            if (lines.containsKey(key)) {
                return key;
            }
        }
        return null;
    }

    /**
     * A place for {@code ask}, given up after {@code maxWait}. Completing its result in any way leaves the line.
     *
     * @param telling where the result is completed
     */
    AcquireWaiter turn(PendingAcquire ask, Duration maxWait, Executor telling) {
        AcquireWaiter turn = new AcquireWaiter(tickets.incrementAndGet(), ask.waiting(), telling);
        Timers.Scheduled limit = runtime.deadlines().after(LocalTime.capped(maxWait), () -> timeOut(turn));
        turn.whenDone(() -> {
            limit.cancel();
            leave(turn);
        });
        return turn;
    }

    /** A place for {@code ask} that gives up never by itself. */
    AcquireWaiter turn(PendingAcquire ask, Executor telling) {
        return new AcquireWaiter(tickets.incrementAndGet(), ask, telling);
    }

    /** Puts {@code turn} into the line of {@code key}. */
    void join(AcquireWaiter turn, LockKey key) {
        places.put(turn, key);
        WaitQueue line = lines.computeIfAbsent(key, k -> new WaitQueue(k, runtime));
        while (!line.join(turn)) {
            line = lines.computeIfAbsent(key, k -> new WaitQueue(k, runtime));
        }
        if (runtime.gate().isClosed()) {
            turn.fail(LifecycleGate.closed());
        }
        // It may have given up between the two steps above.
        if (turn.result().isDone()) {
            places.remove(turn);
            line.leave(turn);
        }
    }

    /** The key may be free: whoever is first in its line looks. */
    void wake(LockKey key) {
        WaitQueue line = lines.get(key);
        if (line != null) {
            line.lookAgain();
        }
    }

    /** Sends everybody away. */
    void close() {
        places.keySet().forEach(turn -> turn.fail(LifecycleGate.closed()));
    }

    void forget(LockKey key, WaitQueue line) {
        lines.remove(key, line);
    }

    /** How many keys somebody waits for. */
    int size() {
        return lines.size();
    }

    private void leave(AcquireWaiter turn) {
        LockKey key = places.remove(turn);
        WaitQueue line = key == null ? null : lines.get(key);
        if (line != null) {
            line.leave(turn);
        }
    }

    private void timeOut(AcquireWaiter turn) {
        Refusal refusal = turn.refusal();
        LockKey key = places.get(turn);
        WaitQueue line = key == null ? null : lines.get(key);
        if (line != null && line.refusal() != null) {
            refusal = line.refusal();
        }
        if (refusal != null) {
            turn.settle(new Acquisition.Refused(refusal), runtime.leases());
            return;
        }
        // It is not known yet why it must wait: a look of its own says so, under another id, because its place in line
        // may be looking too and both would be given the same grant.
        PendingAcquire own =
                turn.ask().named(LeaseId.random(runtime.settings().environment().random()));
        runtime.acquirer().lookAsync(own).whenComplete((acquisition, failure) -> {
            if (failure != null) {
                turn.fail(Futures.cause(failure));
            } else {
                turn.settle(acquisition, runtime.leases());
            }
        });
    }
}
