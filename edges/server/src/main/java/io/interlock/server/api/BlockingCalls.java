package io.interlock.server.api;

import io.interlock.server.problem.Problems;
import io.interlock.time.Environment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A pool for blocking calls, so that event loops never block. Tenants take turns: however many calls of one wait, a call of another
 * waits for at most one of each. Bounded: when all threads are busy and the line is full, a call is refused at once with a
 * problem, and no tenant may fill more than half of the line. Idle threads end. Safe for use by many threads.
 */
public final class BlockingCalls implements Executor, AutoCloseable {

    private static final int THREADS = 16;
    private static final int LINE = 1_000;
    private static final long IDLE_SECONDS = 20;

    /** For whom the server works when it works for no tenant. */
    private static final String SERVER = "";

    private final ThreadPoolExecutor pool;
    private final int line;
    private final Map<String, Deque<Runnable>> waiting = new HashMap<>();
    private final Deque<String> turns = new ArrayDeque<>();
    private int size;

    /** 16 threads, and a line of 1,000 calls. */
    public static BlockingCalls of(Environment environment) {
        return apart(environment, THREADS);
    }

    /** For calls that must not wait behind all others, or these behind them: {@code threads} of their own. */
    public static BlockingCalls apart(Environment environment, int threads) {
        return new BlockingCalls(environment, threads, LINE);
    }

    BlockingCalls(Environment environment, int threads, int line) {
        this.line = line;
        pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                environment.threads("interlock-api"));
        pool.allowCoreThreadTimeOut(true);
    }

    /** Takes no more calls; those that wait are still made. */
    @Override
    public void close() {
        pool.shutdown();
    }

    /** Runs {@code task} for the server itself; throws a problem if the line is full, and as any executor if this is closed. */
    @Override
    public void execute(Runnable task) {
        execute(SERVER, task);
    }

    /** Makes a call for the server itself. What it throws, the stage fails with. */
    public <T> CompletionStage<T> call(Supplier<T> call) {
        return call(SERVER, call);
    }

    /** Makes a call for {@code tenant}. What it throws, the stage fails with. */
    public <T> CompletionStage<T> call(String tenant, Supplier<T> call) {
        try {
            return CompletableFuture.supplyAsync(call, task -> execute(tenant, task));
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private void execute(String tenant, Runnable task) {
        append(tenant, task);
        try {
            // Whichever thread comes first does what is next, which may be a call of another tenant.
            pool.execute(this::runNext);
        } catch (RejectedExecutionException closed) {
            remove(tenant, task);
            throw closed;
        } catch (OutOfMemoryError noThread) {
            remove(tenant, task);
            throw Problems.overloaded();
        }
    }

    private synchronized void append(String tenant, Runnable task) {
        Deque<Runnable> own = waiting.get(tenant);
        // What a thread is about to take stands in the line for a moment, too.
        int threads = pool.getMaximumPoolSize();
        int most = (tenant.equals(SERVER) ? line : line / 2) + threads;
        if (size >= line + threads || (own != null && own.size() >= most)) {
            throw pool.isShutdown() ? new RejectedExecutionException("closed") : Problems.overloaded();
        }
        if (own == null) {
            own = new ArrayDeque<>();
            waiting.put(tenant, own);
            turns.addLast(tenant);
        }
        own.addLast(task);
        size++;
    }

    private synchronized void remove(String tenant, Runnable task) {
        Deque<Runnable> own = waiting.get(tenant);
        if (own != null && own.removeLastOccurrence(task)) {
            size--;
            if (own.isEmpty()) {
                waiting.remove(tenant);
                turns.remove(tenant);
            }
        }
    }

    private void runNext() {
        Runnable next;
        synchronized (this) {
            String tenant = turns.removeFirst();
            Deque<Runnable> own = Objects.requireNonNull(waiting.get(tenant), "a tenant with a turn waits");
            next = own.removeFirst();
            size--;
            if (own.isEmpty()) {
                waiting.remove(tenant);
            } else {
                turns.addLast(tenant);
            }
        }
        next.run();
    }
}
