package io.interlock.engine.internal.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs the user's code: each task at once on a thread of its own, or, if there is none to be had, one after the other on a
 * thread that was there from the beginning. Never on the thread that asks, which may be the one that stops work in time.
 *
 * <p>What waits for that one thread needs no limit of its own: everything told is something the engine had in hand before, a
 * waiter's answer or the word that a listener has events to hear, which are limited by {@link ListenerQueue}.
 */
public final class CallbackExecutor implements Executor, AutoCloseable {

    private static final long IDLE_SECONDS = 1;

    private final ThreadPoolExecutor threads;
    private final ThreadPoolExecutor reserve;

    /** Tells on {@code threads}, which may fail, and on one thread of {@code last}, started now. */
    CallbackExecutor(ThreadPoolExecutor threads, ThreadFactory last) {
        this.threads = threads;
        this.reserve = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), last);
        reserve.prestartCoreThread();
    }

    @Override
    public void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            reserve.execute(task);
        }
    }

    /** Ends the threads once they have nothing to do. What is still told later is told all the same. */
    @Override
    public void close() {
        threads.shutdown();
        reserve.allowCoreThreadTimeOut(true);
    }
}
