package io.interlock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.spi.Answers;
import java.util.ArrayList;
import java.util.HashSet;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many threads call and submit on a step that fails, leaves requests open and is interrupted: every caller gets its
 * answer, and no key is in two batches at once.
 */
@Timeout(60)
class CoalescerStormTest {

    private static final int THREADS = 64;
    private static final int CALLS = 400;
    private static final int KEYS = 40;

    private final AtomicInteger leaders = new AtomicInteger();
    private final AtomicInteger mostLeaders = new AtomicInteger();
    private final AtomicInteger batches = new AtomicInteger();
    private final Set<Integer> keysInFlight = ConcurrentHashMap.newKeySet();
    private final AtomicInteger keysInTwoBatches = new AtomicInteger();
    private final Set<Integer> answered = ConcurrentHashMap.newKeySet();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void everyRequestIsAnsweredOnceToItsOwnCaller(int inFlight) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(THREADS);
        ExecutorService executor = Executors.newFixedThreadPool(4);
        Coalescer<Integer, Integer> coalescer =
                new Coalescer<>(this::step, CoalescerStormTest::keys, 16, inFlight, executor);
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
        assertThat(mostLeaders.get()).as("batches at the same time").isBetween(1, inFlight);
        assertThat(keysInTwoBatches).as("keys in two batches at the same time").hasValue(0);
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

    /** Every fifth request is about two keys. */
    private static Set<Integer> keys(int request) {
        int key = request % KEYS;
        return request % 5 == 0 ? Set.of(key, (key + 7) % KEYS) : Set.of(key);
    }

    private Answers<Integer> step(List<Integer> requests) {
        if (requests.size() == 1) {
            // May be a leader with a batch of one, or a repeated request.
            return Answers.of(List.of(-requests.get(0)));
        }
        mostLeaders.accumulateAndGet(leaders.incrementAndGet(), Math::max);
        Set<Integer> keys = new HashSet<>();
        requests.forEach(request -> keys.addAll(keys(request)));
        keys.forEach(key -> keysInTwoBatches.addAndGet(keysInFlight.add(key) ? 0 : 1));
        try {
            int number = batches.incrementAndGet();
            if (number % 17 == 0) {
                throw new IllegalStateException("batch " + number);
            }
            List<@Nullable Integer> answers = new ArrayList<>();
            requests.forEach(request -> answers.add(request % 13 == 0 ? null : Integer.valueOf(-request)));
            return Answers.partly(answers);
        } finally {
            keysInFlight.removeAll(keys);
            leaders.decrementAndGet();
        }
    }
}
