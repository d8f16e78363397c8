package io.interlock.locks.internal;

import io.interlock.time.Environment;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library's threads: a few for calls to the store, a few for renewals that cannot wait behind those, and as many as it
 * takes for the user's code, so that a listener or probe that hangs delays no other. Idle threads end.
 */
final class Threads implements Executor {

    private static final Logger log = LoggerFactory.getLogger(Threads.class);
    private static final int MAX_CALLS = 16;
    private static final int MAX_RENEWALS = 4;
    private static final long IDLE_SECONDS = 20;

    private final ThreadPoolExecutor calls;
    private final ThreadPoolExecutor renewals;
    private final ThreadPoolExecutor callbacks;

    Threads(Environment environment) {
        calls = pool(MAX_CALLS, environment.threads("interlock-call"));
        renewals = pool(MAX_RENEWALS, environment.threads("interlock-renewal"));
        callbacks = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                environment.threads("interlock-callback"));
    }

    Executor calls() {
        return calls;
    }

    /** Where renewals run that are made apart from the others. */
    Executor renewals() {
        return renewals;
    }

    /**
     * Runs the user's code; what it throws is logged. After {@link #close()}, and if there are no more threads to be had, it
     * runs on the thread that asks: late or in the wrong place is better than a grant or a loss that is never reported.
     */
    @Override
    public void execute(Runnable task) {
        try {
            callbacks.execute(() -> guarded(task));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            guarded(task);
        }
    }

    /** Takes no more; what has begun goes on. */
    void close() {
        calls.shutdown();
        renewals.shutdown();
        callbacks.shutdown();
    }

    private static ThreadPoolExecutor pool(int size, ThreadFactory threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            log.error("a callback failed: {}", failure.toString(), failure);
        }
    }
}
