package io.interlock.time;

import java.time.Duration;

/**
 * Notices that the machine has slept, as long as there is anything on an agenda. Timers count by the ticker, which may stand still
 * meanwhile, and then every deadline is too late: so all that is on the agenda is looked at at once. It never blocks. Safe for use by many
 * threads.
 */
public final class SleepWatch {

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final long SLEPT = Duration.ofMillis(200).toNanos();

    private final Timers timers;
    private final LocalTime time;
    private final TimerQueue<?> timerQueue;
    private final Runnable onWaking;
    private Moment awake;
    private boolean looking;

    /**
     * A watch that has not begun.
     *
     * @param onWaking called after the agenda was looked at; it must not block
     */
    public SleepWatch(Timers timers, LocalTime time, TimerQueue<?> timerQueue, Runnable onWaking) {
        this.timers = timers;
        this.time = time;
        this.timerQueue = timerQueue;
        this.onWaking = onWaking;
        this.awake = time.now();
    }

    /** Something is on the agenda. */
    public synchronized void begin() {
        if (!looking) {
            looking = true;
            timers.after(LOOK_EVERY, this::look);
        }
    }

    private void look() {
        boolean slept;
        synchronized (this) {
            slept = time.driftSince(awake) > SLEPT;
            looking = !timerQueue.isEmpty();
            if (slept || !looking || time.driftSince(awake) < 0) {
                awake = time.now();
            }
            if (looking) {
                timers.after(LOOK_EVERY, this::look);
            }
        }
        if (slept) {
            timerQueue.all();
            onWaking.run();
        }
    }
}
