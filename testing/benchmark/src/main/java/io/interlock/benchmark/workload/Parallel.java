package io.interlock.benchmark.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Does many things on several threads. */
final class Parallel {

    private Parallel() {}

    /** Does {@code each} for all numbers below {@code count}; fails with the first that fails. */
    static void forEach(int threads, int count, Each each) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        AtomicInteger next = new AtomicInteger();
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            tasks.add(() -> {
                int number = next.getAndIncrement();
                while (number < count) {
                    each.run(number);
                    number = next.getAndIncrement();
                }
                return number;
            });
        }
        try {
            for (Future<Integer> task : pool.invokeAll(tasks)) {
                task.get();
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException(String.valueOf(failed.getCause()), failed.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    /** What is done. */
    @FunctionalInterface
    interface Each {
        void run(int number) throws Exception;
    }
}
