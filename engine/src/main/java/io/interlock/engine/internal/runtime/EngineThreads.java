package io.interlock.engine.internal.runtime;

import io.interlock.engine.EngineClosedException;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where everything runs: calls to the store, heartbeats and endings that cannot wait behind those, the work itself, and the
 * code of listeners and callbacks, each apart from the others. Idle threads end, but for one that tells when no other can be had.
 *
 * @param calls where calls to the store run for which no thread waits
 * @param heartbeats where heartbeats run that are made apart from the others
 * @param work where handlers run; how many at once is for the slots to say
 * @param callbacks where the user's code is told something; takes everything, and never runs it on the thread that asks
 */
public record EngineThreads(
        Executor calls, Executor heartbeats, Executor endings, Executor work, Executor callbacks, Runnable closing) {

    private static final Logger log = LoggerFactory.getLogger(EngineThreads.class);
    private static final int MAX_CALLS = 16;
    private static final int MAX_HEARTBEATS = 4;
    private static final int MAX_ENDINGS = 4;
    private static final long IDLE_SECONDS = 20;

    public static EngineThreads of(Environment environment) {
        ThreadPoolExecutor calls = pool(MAX_CALLS, environment.threads("interlock-call"));
        ThreadPoolExecutor heartbeats = pool(MAX_HEARTBEATS, environment.threads("interlock-heartbeat"));
        ThreadPoolExecutor endings = pool(MAX_ENDINGS, environment.threads("interlock-ending"));
        ThreadPoolExecutor work = growing(environment.threads("interlock-work"));
        CallbackExecutor callbacks = new CallbackExecutor(
                growing(environment.threads("interlock-callback")), environment.threads("interlock-reserve"));
        return new EngineThreads(calls, heartbeats, endings, work, callbacks, () -> {
            calls.shutdown();
            heartbeats.shutdown();
            endings.shutdown();
            work.shutdown();
            callbacks.close();
        });
    }

    /** Makes a call to the store that does not gather others, where no thread waits for it. Never throws. */
    public <A> CompletionStage<A> call(Supplier<A> call) {
        try {
            return CompletableFuture.supplyAsync(call, calls);
        } catch (RejectedExecutionException shut) {
            // Its queue has no limit: it refuses only what comes after it was shut.
            return CompletableFuture.failedFuture(new EngineClosedException());
        } catch (RuntimeException | Error noThread) {
            // Out of threads: the caller must be told, or it would wait for an answer for ever.
            return CompletableFuture.failedFuture(noThread);
        }
    }

    /** Runs the user's code, never on the thread that asks; what it throws is logged. */
    public void tell(Runnable task) {
        callbacks.execute(() -> guarded(task));
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            log.error("a callback failed: {}", failure.toString(), failure);
        }
    }

    private static ThreadPoolExecutor pool(int size, ThreadFactory threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadPoolExecutor growing(ThreadFactory threads) {
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    /**
     * Runs the user's code: each task at once on a thread of its own, or, if there is none to be had, one after the other on a
     * thread that was there from the beginning. Never on the thread that asks, which may be the one that stops work in time.
     *
     * <p>What waits for that one thread needs no limit of its own: everything told is something the engine had in hand before, a
     * waiter's answer or the events of a listener, which are limited by {@link EngineEvents}.
     */
    private static final class CallbackExecutor implements Executor {

        private static final long LAST_IDLE_SECONDS = 1;

        private final ThreadPoolExecutor threads;
        private final ThreadPoolExecutor reserve;

        /** Tells on {@code threads}, which may fail, and on one thread of {@code last}, started now. */
        CallbackExecutor(ThreadPoolExecutor threads, ThreadFactory last) {
            this.threads = threads;
            this.reserve = new ThreadPoolExecutor(
                    1, 1, LAST_IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), last);
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
        void close() {
            threads.shutdown();
            reserve.allowCoreThreadTimeOut(true);
        }
    }

    /**
     * The clocks and timers of one engine. Each kind of task has a timer of its own, so that none of them waits for another.
     *
     * @param heartbeats sends heartbeats; its tasks may block
     * @param deadlines watches deadlines; its tasks never block
     * @param claims takes work; its tasks may block
     * @param chores for what may come late; its tasks never block
     */
    public record EngineTimers(
            Environment environment,
            LocalTime time,
            Timers heartbeats,
            Timers deadlines,
            Timers claims,
            Timers chores) {

        public static EngineTimers of(Environment environment) {
            return new EngineTimers(
                    environment,
                    new LocalTime(environment),
                    environment.timers("interlock-heartbeats"),
                    environment.timers("interlock-deadlines"),
                    environment.timers("interlock-claims"),
                    environment.timers("interlock-chores"));
        }
    }
}
