package io.interlock.benchmark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * What one peer did in one round.
 *
 * @param perSecond operations of all threads together
 * @param firstMedian median time of the first half of an operation (acquire, or the refusal), in microseconds
 * @param secondMedian median time of the second half (release), in microseconds
 */
record Measurement(double perSecond, double firstMedian, double secondMedian) {

    static final int MAX_THREADS = 64;

    private static final int MAX_SAMPLES = 200_000;

    /** Takes and gives back keys of each thread's own, for a while. */
    static Measurement ofCycles(Peer peer, int threads, long millis) throws Exception {
        return run(threads, millis, thread -> {
            long start = System.nanoTime();
            Peer.Held held = peer.take("key/" + thread);
            long taken = System.nanoTime();
            held.release();
            return new long[] {taken - start, System.nanoTime() - taken};
        });
    }

    /** Asks for keys that another client holds, for a while. */
    static Measurement ofRefusals(Peer peer, int threads, long millis) throws Exception {
        return run(threads, millis, thread -> {
            long start = System.nanoTime();
            if (!peer.isRefused("held/" + thread)) {
                throw new IllegalStateException(peer.name() + " granted a key that is held");
            }
            return new long[] {System.nanoTime() - start, 0};
        });
    }

    private static Measurement run(int threads, long millis, Operation operation) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long start = System.nanoTime();
            long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
            List<Callable<List<long[]>>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                tasks.add(() -> repeat(operation, thread, end, MAX_SAMPLES / threads));
            }
            List<long[]> samples = new ArrayList<>();
            long count = 0;
            for (Future<List<long[]>> future : pool.invokeAll(tasks)) {
                List<long[]> own = result(future);
                count += own.get(0)[0];
                samples.addAll(own.subList(1, own.size()));
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Measurement(count / seconds, median(samples, 0), median(samples, 1));
        } finally {
            pool.shutdownNow();
        }
    }

    private static List<long[]> result(Future<List<long[]>> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("a benchmark thread failed", failed.getCause());
        }
    }

    // The first element is the number of operations; the rest are samples.
    private static List<long[]> repeat(Operation operation, int thread, long end, int maxSamples) throws Exception {
        List<long[]> samples = new ArrayList<>();
        long[] count = {0};
        samples.add(count);
        while (System.nanoTime() < end) {
            long[] sample = operation.once(thread);
            count[0]++;
            if (samples.size() <= maxSamples) {
                samples.add(sample);
            }
        }
        return samples;
    }

    private static double median(List<long[]> samples, int index) {
        long[] sorted =
                samples.stream().mapToLong(sample -> sample[index]).sorted().toArray();
        return sorted.length == 0
                ? 0
                : Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(0) / 1e3;
    }

    private interface Operation {
        long[] once(int thread) throws Exception;
    }
}
