package io.interlock.engine.internal.wait;

import io.interlock.engine.EngineClosedException;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.locks.runtime.Poller;
import io.interlock.time.Environment.Timers;
import io.interlock.time.Environment.Timers.Scheduled;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What every wait of an engine needs: time limits, polls, threads for its calls and its answer, and an end when the engine closes.
 * Safe for use by many threads.
 */
public final class WaitScheduler {

    private static final double SPREAD = 0.2;

    private final EngineLifecycle lifecycle;
    private final EngineThreads threads;
    private final LocalTime time;
    private final Timers deadlines;
    private final Poller.Pace pace;
    private final OpenWaits untilClose = new OpenWaits();
    private final OpenWaits untilEnd = new OpenWaits();

    public WaitScheduler(EngineLifecycle lifecycle, EngineThreads threads, EngineTimers timers, Duration pollEvery) {
        this.lifecycle = lifecycle;
        this.threads = threads;
        this.time = timers.time();
        this.deadlines = timers.deadlines();
        this.pace = new Poller.Pace(deadlines, time, pollEvery);
    }

    public void requireOpen() {
        lifecycle.requireOpen();
    }

    /** Runs {@code task} when the engine closes, at once if it did; until what this returns is cancelled. */
    public Scheduled onClose(Runnable task) {
        return untilClose.add(task);
    }

    /** Like {@link #onClose}, but only when all work has ended or was given up. */
    public Scheduled onEnd(Runnable task) {
        return untilEnd.add(task);
    }

    /** Ends all waits, but for those of work under way. */
    public void close() {
        untilClose.close();
    }

    /** Ends the waits of work under way, too. */
    public void end() {
        untilEnd.close();
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

    public Poller.Pace pace() {
        return pace;
    }

    public void tell(Runnable task) {
        threads.tell(task);
    }

    public <A> CompletionStage<A> call(Supplier<A> call) {
        return threads.call(call);
    }

    public EngineThreads threads() {
        return threads;
    }

    private final class OpenWaits {

        private final Map<Object, Runnable> open = new LinkedHashMap<>();
        private boolean closed;

        Scheduled add(Runnable task) {
            Object wait = new Object();
            synchronized (this) {
                if (!closed) {
                    open.put(wait, task);
                    return () -> remove(wait);
                }
            }
            task.run();
            return () -> {};
        }

        void close() {
            List<Runnable> left;
            synchronized (this) {
                closed = true;
                left = List.copyOf(open.values());
                open.clear();
            }
            // A wait may have anything chained to it, and closing must not wait for that.
            left.forEach(threads::tell);
        }

        private synchronized void remove(Object wait) {
            open.remove(wait);
        }
    }

    /** Whether an engine is open for new requests. Safe for use by many threads. */
    public static final class EngineLifecycle {

        private final ActiveRuns activeRuns;
        private volatile boolean closed;

        public EngineLifecycle(ActiveRuns activeRuns) {
            this.activeRuns = activeRuns;
        }

        /** Refuses new requests from now on. Whether it was open. */
        public synchronized boolean close() {
            boolean first = !closed;
            closed = true;
            return first;
        }

        /**
         * Lets a request in. Requests of work under way are let in after the engine was closed: they are a part of that work.
         *
         * @throws EngineClosedException if the engine is closed
         */
        public void requireOpen() {
            if (closed && !isAtWork()) {
                throw new EngineClosedException();
            }
        }

        /** Whether the current thread does work that is under way here. */
        public boolean isAtWork() {
            return activeRuns.isAtWork(Thread.currentThread());
        }
    }
}
