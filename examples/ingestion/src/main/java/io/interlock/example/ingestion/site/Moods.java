package io.interlock.example.ingestion.site;

import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Faults of pages: all of them slow, or some of them held, failing or cut off. Thread-safe. */
public final class Moods {

    /** How a request ends. */
    enum Mood {
        WORKS,
        FAILS,
        CUTS
    }

    private final Map<String, CountDownLatch> holding = new ConcurrentHashMap<>();
    private final Queue<CountDownLatch> held = new ConcurrentLinkedQueue<>();
    private final Map<String, AtomicInteger> failing = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> cutting = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile Duration slowness = Duration.ZERO;
    private volatile int failEvery;

    Moods() {}

    /** Every page takes this long from now on, and one of {@code failEvery} fails; 0 for none. */
    public void everywhere(Duration slowness, int failEvery) {
        this.slowness = slowness;
        this.failEvery = failEvery;
    }

    /** Holds the next request for {@code path} until {@link #release()}. */
    public void hold(String path) {
        holding.put(path, new CountDownLatch(1));
    }

    /** Answers all held requests, and holds no more. */
    public void release() {
        holding.clear();
        held.forEach(CountDownLatch::countDown);
        held.clear();
    }

    /** The number of held requests. */
    public int waiting() {
        return waiting.get();
    }

    /** The next {@code times} requests for {@code path} are answered with 500. */
    public void fail(String path, int times) {
        failing.put(path, new AtomicInteger(times));
    }

    /** The next {@code times} answers for {@code path} are cut off in the middle. */
    public void cut(String path, int times) {
        cutting.put(path, new AtomicInteger(times));
    }

    /** How a request for {@code path} ends, after as long as it takes. */
    Mood next(String path) throws InterruptedException {
        CountDownLatch latch = holding.remove(path);
        if (latch != null) {
            held.add(latch);
            waiting.incrementAndGet();
            latch.await();
            waiting.decrementAndGet();
        } else if (!slowness.isZero()) {
            // Never counted down: the timeout is the delay.
            new CountDownLatch(1).await(slowness.toMillis(), TimeUnit.MILLISECONDS);
        }
        int every = failEvery;
        if (takes(failing, path) || (every > 0 && asked.incrementAndGet() % every == 0)) {
            return Mood.FAILS;
        }
        return takes(cutting, path) ? Mood.CUTS : Mood.WORKS;
    }

    private static boolean takes(Map<String, AtomicInteger> left, String path) {
        AtomicInteger count = left.get(path);
        return count != null && count.getAndDecrement() > 0;
    }
}
