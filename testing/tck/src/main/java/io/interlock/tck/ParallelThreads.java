package io.interlock.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Many threads that start at once. */
final class ParallelThreads {

    private ParallelThreads() {}

    /** The task of each thread. */
    interface Member {
        void act(int number) throws Exception;
    }

    /** Runs {@code size} threads, numbered from 0, and throws the first failure. */
    static void run(int size, Member member) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(size);
        try {
            CountDownLatch ready = new CountDownLatch(size);
            List<Future<?>> members = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int number = i;
                members.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    member.act(number);
                    return null;
                }));
            }
            for (Future<?> each : members) {
                each.get();
            }
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            throw failed;
        } finally {
            threads.shutdownNow();
        }
    }
}
