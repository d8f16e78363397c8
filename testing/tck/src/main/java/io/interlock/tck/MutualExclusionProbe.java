package io.interlock.tck;

import io.interlock.LockKey;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.tck.process.PlainCounter;
import io.interlock.tck.process.WorkerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Proof by counting: many threads or processes increment a number that only the lock protects. If two ever held the
 * lock at once, the final number is too small.
 */
public final class MutualExclusionProbe {

    private static final Duration TURN_WAIT = Duration.ofSeconds(50);
    private static final long READING_NANOS = 100_000;

    private long number;

    private MutualExclusionProbe() {}

    /**
     * The result of counting.
     *
     * @param turns the number of increments
     * @param counted the final number
     */
    public record Result(long turns, long counted) {}

    /** Counts by {@code threads} threads that share {@code locks} among them, each {@code turns} times. */
    public static Result threads(List<Locks> locks, LockKey key, int threads, int turns) throws Exception {
        MutualExclusionProbe probe = new MutualExclusionProbe();
        ParallelThreads.run(threads, number -> {
            Locks mine = locks.get(number % locks.size());
            for (int i = 0; i < turns; i++) {
                try (Lease lease = mine.acquire(key, TURN_WAIT).orElseThrow()) {
                    probe.increment();
                    lease.checkpoint();
                }
            }
        });
        return new Result((long) threads * turns, probe.number);
    }

    /** Counts in {@code file} by {@code workers}, each {@code turns} times. */
    public static Result processes(List<WorkerProcess> workers, LockKey key, int turns, Path file)
            throws IOException, InterruptedException {
        for (WorkerProcess worker : workers) {
            worker.tell("count " + key.encoded() + " " + turns + " " + file);
        }
        for (WorkerProcess worker : workers) {
            String answer = worker.answer();
            if (!answer.equals("counted " + turns)) {
                throw new IllegalStateException("a worker answered: " + answer + "\n" + worker.log());
            }
        }
        return new Result((long) workers.size() * turns, new PlainCounter(file).number());
    }

    // A pause between reading and writing, so that two concurrent holders lose an update.
    private void increment() {
        long read = number;
        // A single park may return at once, without a chance for others to read.
        long start = System.nanoTime();
        while (System.nanoTime() - start < READING_NANOS) {
            LockSupport.parkNanos(READING_NANOS);
        }
        number = read + 1;
    }
}
