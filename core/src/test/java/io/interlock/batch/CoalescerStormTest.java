package io.interlock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.spi.Answers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads, waiting and submitting, on a step that fails, leaves open and is interrupted: everybody gets its answer. */
@Timeout(60)
class CoalescerStormTest {

    private static final int THREADS = 64;
    private static final int CALLS = 400;

    private final AtomicInteger leaders = new AtomicInteger();
    private final AtomicInteger mostLeaders = new AtomicInteger();
    private final AtomicInteger batches = new AtomicInteger();
    private final Set<Integer> answered = ConcurrentHashMap.newKeySet();

    @Test
    void everyRequestIsAnsweredOnceToItsOwnCaller() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(THREADS);
        ExecutorService executor = Executors.newFixedThreadPool(4);
        Coalescer<Integer, Integer> coalescer = new Coalescer<>(this::step, 16, executor);
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<?>> done = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            done.add(callers.submit(() -> {
                start.await();
                work(coalescer, thread);
                return null;
            }));
        }
        for (Future<?> each : done) {
            each.get(50, TimeUnit.SECONDS);
        }
        assertThat(answered).hasSize(THREADS * CALLS);
        assertThat(mostLeaders.get()).as("batches at the same time").isEqualTo(1);
        assertThat(batches.get()).as("fewer trips than calls").isLessThan(THREADS * CALLS);
        callers.shutdownNow();
        executor.shutdownNow();
    }

    private void work(Coalescer<Integer, Integer> coalescer, int thread) throws Exception {
        Random random = new Random(thread);
        for (int i = 0; i < CALLS; i++) {
            int request = thread * CALLS + i;
            boolean interrupt = random.nextInt(20) == 0;
            if (interrupt) {
                Thread.currentThread().interrupt();
            }
            int answer;
            if (random.nextInt(4) == 0) {
                CompletableFuture<Integer> submitted = coalescer.submit(request).toCompletableFuture();
                assertThat(Thread.interrupted()).isEqualTo(interrupt);
                answer = submitted.get(30, TimeUnit.SECONDS);
            } else {
                answer = coalescer.call(request);
                assertThat(Thread.interrupted()).isEqualTo(interrupt);
            }
            assertThat(answer).isEqualTo(-request);
            assertThat(answered.add(request)).isTrue();
        }
    }

    private Answers<Integer> step(List<Integer> requests) {
        if (requests.size() == 1) {
            // May be a leader with a batch of one, or somebody asking again alone.
            return Answers.of(List.of(-requests.get(0)));
        }
        mostLeaders.accumulateAndGet(leaders.incrementAndGet(), Math::max);
        try {
            int number = batches.incrementAndGet();
            if (number % 17 == 0) {
                throw new IllegalStateException("batch " + number);
            }
            List<@Nullable Integer> answers = new ArrayList<>();
            requests.forEach(request -> answers.add(request % 13 == 0 ? null : Integer.valueOf(-request)));
            return Answers.partly(answers);
        } finally {
            leaders.decrementAndGet();
        }
    }
}
