package io.interlock.server.api;

import io.interlock.server.problem.Problems;
import io.interlock.time.Environment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Where calls run that block, so that event loops never do. Bounded: when all threads are busy and the line is full, a call is
 * refused at once with a problem. Idle threads end. Safe for use by many threads.
 */
public final class BlockingCalls implements Executor {

    private static final int THREADS = 16;
    private static final int LINE = 1_000;
    private static final long IDLE_SECONDS = 20;

    private final ThreadPoolExecutor pool;

    private BlockingCalls(ThreadPoolExecutor pool) {
        this.pool = pool;
    }

    /** 16 threads, and a line of 1,000 calls. */
    public static BlockingCalls of(Environment environment) {
        return of(environment, THREADS, LINE);
    }

    /** For calls that must not wait behind all others, or these behind them: {@code threads} of their own. */
    public static BlockingCalls apart(Environment environment, int threads) {
        return of(environment, threads, LINE);
    }

    static BlockingCalls of(Environment environment, int threads, int line) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(line),
                environment.threads("interlock-api"));
        pool.allowCoreThreadTimeOut(true);
        return new BlockingCalls(pool);
    }

    /** Runs {@code task}, or throws if the line is full. */
    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    /** Makes a call. What it throws, the stage fails with. */
    public <T> CompletionStage<T> call(Supplier<T> call) {
        try {
            return CompletableFuture.supplyAsync(call, pool);
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedFuture(Problems.overloaded().thrown());
        }
    }
}
