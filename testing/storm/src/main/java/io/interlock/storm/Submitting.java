package io.interlock.storm;

import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.time.Environment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Submits runs from several threads; submissions without an answer are repeated with the same ids. */
final class Submitting {

    private static final int THREADS = 8;
    private static final long REST_NANOS = 200_000_000;

    private final RunEngine engine;
    private final int runs;
    private final int keys;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final Set<RunId> acknowledged = ConcurrentHashMap.newKeySet();
    private final CountDownLatch ended = new CountDownLatch(THREADS);

    Submitting(RunEngine engine, int runs, int keys) {
        this.engine = engine;
        this.runs = runs;
        this.keys = keys;
    }

    void start() {
        for (int i = 0; i < THREADS; i++) {
            Environment.system().threads("storm").newThread(this::submitAll).start();
        }
    }

    void await() throws InterruptedException {
        ended.await();
    }

    int submitted() {
        return Math.min(next.get(), runs);
    }

    /** The number of submissions without an answer. */
    int unanswered() {
        return unanswered.get();
    }

    /** The acknowledged runs. */
    Set<RunId> acknowledged() {
        return acknowledged;
    }

    private void submitAll() {
        try {
            for (int number = next.getAndIncrement(); number < runs; number = next.getAndIncrement()) {
                submit(number);
            }
        } finally {
            ended.countDown();
        }
    }

    private void submit(int number) {
        RunRequest request =
                RunRequest.of(StormJob.key(number % keys), StormJob.NAME).idempotencyKey("storm-" + number);
        while (true) {
            try {
                acknowledged.add(engine.submit(request).orElseThrow().id());
                return;
            } catch (StoreUnavailableException noAnswer) {
                unanswered.incrementAndGet();
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }
}
