package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Latencies;
import io.interlock.benchmark.peer.LockPeer;
import io.interlock.benchmark.peer.WaitingPeer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One key that goes from client to client. Always one holds it and all others wait; the one that gave it away waits again
 * when the next one has it.
 */
final class HandOverRound {

    private static final long SHORTEST_HOLD = TimeUnit.MILLISECONDS.toNanos(4);
    private static final long LONGEST_HOLD = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long LONGEST_START = TimeUnit.MILLISECONDS.toNanos(200);

    private final String key;
    private final int skipped;
    private final int wanted;
    private final Latencies latencies = new Latencies();
    private final AtomicInteger handOvers = new AtomicInteger();
    private final Semaphore handedOver = new Semaphore(0);
    private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
    private volatile long releasedAt;
    private volatile boolean over;

    /** Hands {@code key} over {@code skipped} times to warm up, and then {@code wanted} times. */
    HandOverRound(String key, int skipped, int wanted) {
        this.key = key;
        this.skipped = skipped;
        this.wanted = wanted;
    }

    /** Hands over until there are enough, or the time is over. */
    Latencies run(List<WaitingPeer.Client> clients, Duration limit) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (WaitingPeer.Client client : clients) {
            threads.add(new Thread(() -> takePart(client), "hand-over"));
        }
        try {
            threads.forEach(Thread::start);
            long until = System.nanoTime() + limit.toNanos();
            while (!over && failures.isEmpty() && System.nanoTime() < until) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            over = true;
            for (Thread thread : threads) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime()) + 5_000));
            }
        } finally {
            over = true;
            threads.forEach(Thread::interrupt);
        }
        Exception failure = failures.peek();
        if (failure != null) {
            throw failure;
        }
        return latencies;
    }

    /** How many there were, those to warm up included. */
    int total() {
        return handOvers.get();
    }

    private void takePart(WaitingPeer.Client client) {
        try {
            // Those that look at intervals must not all look at the same moment.
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_START));
            while (!over) {
                LockPeer.Held held = client.await(key);
                took(System.nanoTime());
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_HOLD, LONGEST_HOLD));
                releasedAt = System.nanoTime();
                held.release();
                if (!over) {
                    handedOver.tryAcquire(1, TimeUnit.MINUTES);
                }
            }
        } catch (Exception failure) {
            if (!over) {
                failures.add(failure);
            }
        }
    }

    private void took(long now) {
        if (releasedAt == 0 || over) {
            return;
        }
        int number = handOvers.incrementAndGet();
        if (number > skipped) {
            latencies.record(now - releasedAt);
        }
        if (number >= skipped + wanted) {
            over = true;
        }
        handedOver.release();
    }
}
