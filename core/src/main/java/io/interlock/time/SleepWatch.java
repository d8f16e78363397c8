package io.interlock.time;

import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;

/**
 * Detects that the machine has slept, while a {@link TimerQueue} has entries. Timers use the ticker, which may stand
 * still during a sleep, so that every deadline would be late: after a sleep all entries are processed at once. It
 * never blocks. Thread-safe.
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
     * A watch that is not started yet.
     *
     * @param onWaking called after the entries were processed; it must not block
     */
    public SleepWatch(Timers timers, LocalTime time, TimerQueue<?> timerQueue, Runnable onWaking) {
        this.timers = timers;
        this.time = time;
        this.timerQueue = timerQueue;
        this.onWaking = onWaking;
        this.awake = time.now();
    }

    /** The queue has an entry. */
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
