package io.interlock.tck;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/**
 * Threads that acquire some keys again and again until they are stopped, also during outages of the store. While they
 * hold a key they change a number that only the lock protects. They continue when the store does not answer, and end
 * with any other failure.
 */
final class KeyContenders {

    private static final long THINKING_NANOS = 200_000;
    private static final Duration BREATH = Duration.ofMillis(20);
    // Longer than any outage here, so that no lease expires.
    private static final LeaseOptions OPTIONS = LeaseOptions.defaults().ttl(Duration.ofSeconds(60));

    private final List<LockKey> keys;
    private final Duration patience;
    private final long[] numbers;
    private final AtomicIntegerArray inside;
    private final AtomicInteger collisions = new AtomicInteger();
    private final AtomicLong taken = new AtomicLong();
    private AtomicIntegerArray byCaller = new AtomicIntegerArray(0);
    private List<CompletableFuture<Void>> callers = List.of();
    private volatile boolean stop;

    KeyContenders(List<LockKey> keys, Duration patience) {
        this.keys = keys;
        this.patience = patience;
        numbers = new long[keys.size()];
        inside = new AtomicIntegerArray(keys.size());
    }

    /** Begins {@code count} threads that share {@code locks} among them; each future fails with what its thread threw. */
    List<CompletableFuture<Void>> begin(List<Locks> locks, int count) {
        byCaller = new AtomicIntegerArray(count);
        ThreadFactory threads = Environment.system().threads("caller");
        callers = IntStream.range(0, count)
                .mapToObj(number -> CompletableFuture.runAsync(
                        () -> takeTurns(locks.get(number % locks.size()), number),
                        task -> threads.newThread(task).start()))
                .toList();
        return callers;
    }

    /** Waits until every thread has held a key {@code more} more times. */
    void awaitMore(int more) {
        int[] least = IntStream.range(0, byCaller.length())
                .map(i -> byCaller.get(i) + more)
                .toArray();
        Awaitility.await().atMost(patience.multipliedBy(2)).until(() -> {
            callers.stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
            return IntStream.range(0, least.length).allMatch(i -> byCaller.get(i) >= least[i]);
        });
    }

    void awaitNobodyInside() {
        Awaitility.await()
                .atMost(patience)
                .until(() -> IntStream.range(0, inside.length()).allMatch(i -> inside.get(i) == 0));
    }

    void stop() {
        stop = true;
    }

    /** How often two threads held a key at the same time. */
    int collisions() {
        return collisions.get();
    }

    long taken() {
        return taken.get();
    }

    /** The final sum of the unprotected numbers. */
    long counted() {
        return IntStream.range(0, numbers.length).mapToLong(i -> numbers[i]).sum();
    }

    private void takeTurns(Locks locks, int number) {
        int key = number % keys.size();
        while (!stop) {
            try {
                Acquisition acquisition = locks.acquire(keys.get(key), patience, OPTIONS);
                acquisition.lease().ifPresent(lease -> takeTurn(lease, key));
                byCaller.addAndGet(number, acquisition.lease().isPresent() ? 1 : 0);
            } catch (StoreUnavailableException unavailable) {
                LockSupport.parkNanos(BREATH.toNanos());
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }

    private void takeTurn(Lease lease, int key) {
        try (lease) {
            if (inside.incrementAndGet(key) != 1) {
                collisions.incrementAndGet();
            }
            long read = numbers[key];
            LockSupport.parkNanos(THINKING_NANOS);
            numbers[key] = read + 1;
            taken.incrementAndGet();
            lease.checkpoint();
            inside.decrementAndGet(key);
        }
    }
}
