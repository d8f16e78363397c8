package io.interlock.engine.internal.worker;

import io.interlock.run.RunStatus.StopRequest;
import io.interlock.time.LocalTime.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Tells work to stop, once: the first reason counts. Safe for use by many threads. */
public final class StopSignal {

    private final Executor callbacks;
    private volatile @Nullable StopRequest stop;
    private volatile @Nullable Moment since;
    private List<Runnable> tasks = new ArrayList<>();
    private @Nullable Thread worker;
    private boolean interruptedByUs;

    /** A signal that runs on {@code callbacks} what others want to do when it is raised. */
    StopSignal(Executor callbacks) {
        this.callbacks = callbacks;
    }

    public Optional<StopRequest> raised() {
        return Optional.ofNullable(stop);
    }

    /** Since when the work should have stopped, or {@code null} if it may go on. */
    @Nullable
    Moment since() {
        return since;
    }

    /** Tells the work, unless it was told before: whether this was the first time. */
    boolean raise(StopRequest request, Moment now) {
        List<Runnable> waiting;
        synchronized (this) {
            if (stop != null) {
                return false;
            }
            since = now;
            stop = request;
            waiting = tasks;
            tasks = List.of();
            interrupt();
        }
        waiting.forEach(callbacks::execute);
        return true;
    }

    /** Runs {@code task} when the signal is raised, or at once if it is. */
    public void onStop(Runnable task) {
        synchronized (this) {
            if (stop == null) {
                tasks.add(task);
                return;
            }
        }
        callbacks.execute(task);
    }

    /** The current thread works from now on, and is to be interrupted. */
    synchronized void begin() {
        worker = Thread.currentThread();
        if (stop != null) {
            interrupt();
        }
    }

    /** Whether {@code thread} works under this signal now. */
    synchronized boolean isWorker(Thread thread) {
        return thread.equals(worker);
    }

    /** The current thread no longer works; an interrupt of ours is taken back. */
    synchronized void end() {
        worker = null;
        if (interruptedByUs) {
            Thread.interrupted();
        }
    }

    private void interrupt() {
        if (worker != null) {
            interruptedByUs = true;
            worker.interrupt();
        }
    }
}
