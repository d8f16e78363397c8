package io.interlock.server.launch;

import io.interlock.server.problem.Problems;
import io.interlock.time.Environment;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Where the store is asked about keys and readiness: a few threads that end when idle, and a line that is not endless. When it is full,
 * a task is refused with a problem; when the pool is closed, as by any executor.
 */
final class BlockingPool implements Executor, AutoCloseable {

    private static final int THREADS = 4;
    private static final int LINE = 1_000;
    private static final long IDLE_SECONDS = 20;

    private final ThreadPoolExecutor pool;

    BlockingPool(Environment environment) {
        pool = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(LINE),
                environment.threads("interlock-access"));
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        try {
            pool.execute(task);
        } catch (RejectedExecutionException refused) {
            throw pool.isShutdown() ? refused : Problems.overloaded().thrown();
        }
    }

    @Override
    public void close() {
        pool.shutdown();
    }
}
