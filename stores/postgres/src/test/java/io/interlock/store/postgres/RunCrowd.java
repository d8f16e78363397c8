package io.interlock.store.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Many threads that begin at once. */
final class RunCrowd implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch start = new CountDownLatch(1);
    private final List<Future<?>> members = new ArrayList<>();

    /** What one of them does. */
    interface Member {

        /** Does it. */
        void act() throws Exception;
    }

    void add(Member member) {
        members.add(threads.submit(() -> {
            start.await();
            member.act();
            return null;
        }));
    }

    /** Lets them begin. */
    void start() {
        start.countDown();
    }

    /** Waits for all, and throws what the first of them that failed threw. */
    void join() throws Exception {
        for (Future<?> member : members) {
            member.get(120, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
