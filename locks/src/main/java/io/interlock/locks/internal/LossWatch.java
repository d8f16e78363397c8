package io.interlock.locks.internal;

import io.interlock.time.Agenda;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
import io.interlock.time.Ticker;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.List;

/**
 * Declares leases lost that were not confirmed in time or were held too long. It never blocks, so a store call that hangs
 * cannot keep a holder from hearing of its loss in time.
 */
final class LossWatch {

    private static final Duration LOOK_FOR_SLEEP_EVERY = Duration.ofMillis(500);
    private static final long SLEPT = Duration.ofMillis(200).toNanos();

    private final Timers timers;
    private final LocalTime time;
    private final Runnable onWaking;
    private final Agenda<HeldLease> agenda;
    private Moment awake;
    private boolean looking;

    /**
     * A watch that has nothing to do yet.
     *
     * @param onWaking called when the machine has slept; it must not block
     */
    LossWatch(Timers timers, Ticker ticker, LocalTime time, Runnable onWaking) {
        this.timers = timers;
        this.time = time;
        this.onWaking = onWaking;
        this.agenda = new Agenda<>(timers, ticker, this::judge);
        this.awake = time.now();
    }

    Agenda.Entry<HeldLease> entry(HeldLease lease) {
        return agenda.entry(lease, Duration.ZERO);
    }

    /** Begins to watch {@code lease}. */
    void watch(HeldLease lease) {
        schedule(lease);
        synchronized (this) {
            if (!looking) {
                looking = true;
                timers.after(LOOK_FOR_SLEEP_EVERY, this::lookForSleep);
            }
        }
    }

    void forget(HeldLease lease) {
        Agenda.Entry<HeldLease> entry = lease.deadline();
        if (entry != null) {
            agenda.strike(entry);
        }
    }

    private void judge(List<HeldLease> due) {
        // Renewals move the deadline without telling the agenda: it only has to look again when the old one has come.
        due.stream().filter(HeldLease::isHeld).forEach(this::schedule);
    }

    private void schedule(HeldLease lease) {
        Agenda.Entry<HeldLease> entry = lease.deadline();
        if (entry != null) {
            // From now on, not from when it was confirmed: the ticker may have stood still in between.
            agenda.set(entry, time.now().nanos() + Deadlines.left(lease, time));
        }
    }

    // Timers count by the ticker, which may stand still while the machine sleeps; then every deadline is too late.
    private void lookForSleep() {
        boolean slept;
        synchronized (this) {
            slept = time.driftSince(awake) > SLEPT;
            looking = !agenda.isEmpty();
            if (slept || !looking || time.driftSince(awake) < 0) {
                awake = time.now();
            }
            if (looking) {
                timers.after(LOOK_FOR_SLEEP_EVERY, this::lookForSleep);
            }
        }
        if (slept) {
            agenda.all();
            onWaking.run();
        }
    }
}
