package io.interlock.engine.internal.wait;

import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
import io.interlock.time.Timers;
import io.interlock.time.Timers.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What every wait of an engine needs: time limits, polls, threads for its calls and its answer, and an end when the engine closes.
 * Safe for use by many threads.
 */
public final class WaitScheduler {

    private static final double SPREAD = 0.2;

    private final EngineThreads threads;
    private final LocalTime time;
    private final Timers deadlines;
    private final Duration pollEvery;
    private final Set<OpenWait> open = new LinkedHashSet<>();
    private boolean closed;

    public WaitScheduler(EngineThreads threads, EngineTimers timers, Duration pollEvery) {
        this.threads = threads;
        this.time = timers.time();
        this.deadlines = timers.deadlines();
        this.pollEvery = pollEvery;
    }

    /** How a wait is ended. Identity, not equality. */
    private static final class OpenWait {
        private final Runnable whenClosed;

        OpenWait(Runnable whenClosed) {
            this.whenClosed = whenClosed;
        }
    }

    /** Runs {@code whenClosed} when the engine is closed, at once if it is; until what this returns is cancelled. */
    public Scheduled add(Runnable whenClosed) {
        OpenWait wait = new OpenWait(whenClosed);
        synchronized (this) {
            if (!closed) {
                open.add(wait);
                return () -> remove(wait);
            }
        }
        whenClosed.run();
        return () -> {};
    }

    /** Ends all open waits. */
    public void close() {
        List<OpenWait> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(open);
            open.clear();
        }
        // A wait may have anything chained to it, and closing must not wait for that.
        left.forEach(wait -> tell(wait.whenClosed));
    }

    private synchronized void remove(OpenWait wait) {
        open.remove(wait);
    }

    public Moment now() {
        return time.now();
    }

    public long elapsed(Moment since) {
        return time.elapsed(since);
    }

    /** Runs {@code task}, which never blocks, after {@code delay}. */
    public Scheduled after(Duration delay, Runnable task) {
        return deadlines.after(LocalTime.capped(delay), task);
    }

    /** Runs {@code task}, which never blocks, after about {@code delay}. */
    public Scheduled afterAbout(Duration delay, Runnable task) {
        return deadlines.after(time.jittered(delay, SPREAD), task);
    }

    /** Runs {@code look}, which never blocks, when the next poll is due. */
    Scheduled poll(Runnable look) {
        return afterAbout(pollEvery, look);
    }

    /** As {@link EngineThreads#tell}. */
    public void tell(Runnable task) {
        threads.tell(task);
    }

    /** As {@link EngineThreads#call}. */
    public <A> CompletionStage<A> call(Supplier<A> call) {
        return threads.call(call);
    }

    public EngineThreads threads() {
        return threads;
    }
}
