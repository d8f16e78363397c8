package io.interlock.locks.internal;

import io.interlock.time.LocalTime;
import io.interlock.time.SleepWatch;
import io.interlock.time.Ticker;
import io.interlock.time.TimerQueue;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.List;

/**
 * Declares leases lost that were not confirmed in time or were held too long. It never blocks, so a store call that hangs
 * cannot keep a holder from hearing of its loss in time.
 */
final class LossWatch {

    private final LocalTime time;
    private final TimerQueue<HeldLease> timerQueue;
    private final SleepWatch sleep;

    /**
     * A watch that has nothing to do yet.
     *
     * @param onWaking called when the machine has slept; it must not block
     */
    LossWatch(Timers timers, Ticker ticker, LocalTime time, Runnable onWaking) {
        this.time = time;
        this.timerQueue = new TimerQueue<>(timers, ticker, this::judge);
        this.sleep = new SleepWatch(timers, time, timerQueue, onWaking);
    }

    TimerQueue.Entry<HeldLease> entry(HeldLease lease) {
        return timerQueue.entry(lease, Duration.ZERO);
    }

    /** Begins to watch {@code lease}. */
    void watch(HeldLease lease) {
        schedule(lease);
        sleep.begin();
    }

    void forget(HeldLease lease) {
        TimerQueue.Entry<HeldLease> entry = lease.deadline();
        if (entry != null) {
            timerQueue.strike(entry);
        }
    }

    private void judge(List<HeldLease> due) {
        // Renewals move the deadline without telling the agenda: it only has to look again when the old one has come.
        due.stream().filter(HeldLease::isHeld).forEach(this::schedule);
    }

    private void schedule(HeldLease lease) {
        TimerQueue.Entry<HeldLease> entry = lease.deadline();
        if (entry != null) {
            // From now on, not from when it was confirmed: the ticker may have stood still in between.
            timerQueue.set(entry, time.now().nanos() + Deadlines.left(lease, time));
        }
    }
}
