package io.interlock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.spi.Answers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several batches in flight at once. A request is "key:number". */
@Timeout(20)
class CoalescerInFlightTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Phaser underWay = new Phaser(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<List<String>> batches = new CopyOnWriteArrayList<>();
    private final List<Thread> workers = new CopyOnWriteArrayList<>();

    @AfterEach
    void stopThreads() {
        goOn.countDown();
        threads.shutdownNow();
    }

    @Test
    void anotherBatchStartsWhileOneIsInFlight() throws Exception {
        Coalescer<String, String> coalescer = held(2);
        List<CompletableFuture<String>> all = new ArrayList<>();
        all.add(call(coalescer, "a:1"));
        awaitBatches(1);
        for (String request : List.of("b:1", "c:1", "d:1")) {
            all.add(call(coalescer, request));
        }
        awaitBatches(2);
        for (String request : List.of("e:1", "f:1", "g:1", "h:1", "i:1")) {
            all.add(call(coalescer, request));
        }
        assertThat(batches).as("two are in flight, and no more").hasSize(2);
        goOn.countDown();
        for (CompletableFuture<String> each : all) {
            assertThat(each.get(5, TimeUnit.SECONDS)).startsWith("done ");
        }
        assertThat(batches.stream().flatMap(List::stream)).doesNotHaveDuplicates();
        assertThat(batches.get(1)).containsExactly("b:1", "c:1", "d:1");
    }

    @Test
    void requestsForAKeyInFlightWaitThoughOthersGo() throws Exception {
        Coalescer<String, String> coalescer = held(3);
        List<CompletableFuture<String>> all = new ArrayList<>();
        all.add(call(coalescer, "a:1"));
        awaitBatches(1);
        for (String request : List.of("a:2", "a:3", "a:4", "b:1")) {
            all.add(call(coalescer, request));
        }
        awaitBatches(2);
        assertThat(batches).containsExactly(List.of("a:1"), List.of("b:1"));
        goOn.countDown();
        for (CompletableFuture<String> each : all) {
            each.get(5, TimeUnit.SECONDS);
        }
        assertThat(batches).last().isEqualTo(List.of("a:2", "a:3", "a:4"));
    }

    @Test
    void aLoneCallerGoesAtOnceOnItsOwnThread() {
        Coalescer<String, String> coalescer = coalescer(this::answer, 4, task -> {
            throw new AssertionError("no other thread is needed");
        });
        for (int i = 0; i < 5; i++) {
            assertThat(coalescer.call("a:" + i)).isEqualTo("done a:" + i);
        }
        assertThat(batches).allMatch(batch -> batch.size() == 1);
        assertThat(workers).containsOnly(Thread.currentThread());
    }

    @Test
    void submittedRequestsOfOneKeyAreAnsweredInTheOrderTheyCame() throws Exception {
        Map<String, List<Integer>> seen = new ConcurrentHashMap<>();
        Coalescer<String, String> coalescer = coalescer(
                batch -> {
                    batch.forEach(each -> seen.computeIfAbsent(key(each), key -> new CopyOnWriteArrayList<>())
                            .add(number(each)));
                    return answer(batch);
                },
                4,
                threads);
        List<CompletableFuture<?>> producers = new ArrayList<>();
        for (String key : List.of("a", "b", "c", "d", "e", "f")) {
            producers.add(CompletableFuture.runAsync(
                    () -> CompletableFuture.allOf(Stream.iterate(0, i -> i + 1)
                                    .limit(500)
                                    .map(i -> coalescer.submit(key + ":" + i).toCompletableFuture())
                                    .toArray(CompletableFuture<?>[]::new))
                            .join(),
                    threads));
        }
        for (CompletableFuture<?> each : producers) {
            each.get(10, TimeUnit.SECONDS);
        }
        assertThat(seen)
                .hasSize(6)
                .allSatisfy((key, numbers) -> assertThat(numbers).hasSize(500).isSorted());
    }

    @Test
    void noRequestIsLostWhenLeadersFail() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        Coalescer<String, String> coalescer = coalescer(
                batch -> {
                    if (batch.size() > 1) {
                        failed.countDown();
                        throw new OutOfMemoryError("in a batch of " + batch.size());
                    }
                    if (number(batch.get(0)) % 10 == 9) {
                        throw new IllegalStateException("tenth");
                    }
                    return batch.contains("first:0") ? hold(batch) : answers(batch);
                },
                4,
                threads);
        CompletableFuture<String> first = call(coalescer, "first:0");
        awaitBatches(1);
        List<CompletableFuture<Integer>> callers = new ArrayList<>();
        for (int t = 0; t < 16; t++) {
            String key = "k" + t % 12;
            callers.add(CompletableFuture.supplyAsync(() -> countAnswers(coalescer, key), threads));
        }
        assertThat(failed.await(5, TimeUnit.SECONDS)).as("a batch failed").isTrue();
        goOn.countDown();
        assertThat(first.get(5, TimeUnit.SECONDS)).isEqualTo("done first:0");
        for (CompletableFuture<Integer> each : callers) {
            assertThat(each.get(15, TimeUnit.SECONDS)).isEqualTo(180);
        }
    }

    @Test
    void submittedRequestsWithoutAThreadFailAndFreeTheirKeys() throws Exception {
        Coalescer<String, String> coalescer = coalescer(this::hold, 2, task -> {
            throw new RejectedExecutionException("closed");
        });
        CompletableFuture<String> first = call(coalescer, "a:1");
        awaitBatches(1);
        List<CompletableFuture<String>> submitted = Stream.of("b:1", "c:1", "d:1")
                .map(request -> coalescer.submit(request).toCompletableFuture())
                .toList();
        goOn.countDown();
        assertThat(first.get(5, TimeUnit.SECONDS)).isEqualTo("done a:1");
        for (CompletableFuture<String> each : submitted) {
            assertThatThrownBy(() -> each.get(5, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RejectedExecutionException.class);
        }
        for (String key : List.of("a", "b", "c", "d")) {
            assertThat(call(coalescer, key + ":2").get(5, TimeUnit.SECONDS)).isEqualTo("done " + key + ":2");
        }
    }

    @Test
    void needsRoomForOneRequestAndOneBatch() {
        assertThatThrownBy(() -> new Coalescer<>(this::answer, List::of, 0, 1, threads))
                .isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> new Coalescer<>(this::answer, List::of, 1, 0, threads))
                .isInstanceOf(InvalidSettingException.class);
    }

    /** Calls 200 times, of which every tenth call fails. */
    private static int countAnswers(Coalescer<String, String> coalescer, String key) {
        int answered = 0;
        for (int i = 0; i < 200; i++) {
            String request = key + ":" + i;
            try {
                assertThat(coalescer.call(request)).isEqualTo("done " + request);
                answered++;
            } catch (IllegalStateException tenth) {
                assertThat(i % 10).isEqualTo(9);
            }
        }
        return answered;
    }

    private static Coalescer<String, String> coalescer(
            Function<List<String>, Answers<String>> step, int inFlight, Executor executor) {
        return new Coalescer<>(step, request -> List.of(key(request)), 100, inFlight, executor);
    }

    /** Every batch continues only when the test allows it. */
    private Coalescer<String, String> held(int inFlight) {
        return coalescer(this::hold, inFlight, threads);
    }

    private Answers<String> hold(List<String> batch) {
        batches.add(batch);
        underWay.arrive();
        try {
            goOn.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        return answers(batch);
    }

    private Answers<String> answer(List<String> batch) {
        batches.add(batch);
        workers.add(Thread.currentThread());
        return answers(batch);
    }

    private static Answers<String> answers(List<String> batch) {
        return Answers.of(batch.stream().map(each -> "done " + each).toList());
    }

    private void awaitBatches(int count) throws Exception {
        underWay.awaitAdvanceInterruptibly(count - 1, 5, TimeUnit.SECONDS);
    }

    /** Calls on another thread, and returns when that call waits or has ended. */
    private CompletableFuture<String> call(Coalescer<String, String> coalescer, String request) throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(
                () -> {
                    thread.complete(Thread.currentThread());
                    return coalescer.call(request);
                },
                threads);
        Thread caller = thread.get(5, TimeUnit.SECONDS);
        while (caller.getState() != Thread.State.WAITING && !answer.isDone()) {
            Thread.onSpinWait();
        }
        return answer;
    }

    private static String key(String request) {
        return request.substring(0, request.indexOf(':'));
    }

    private static int number(String request) {
        return Integer.parseInt(request.substring(request.indexOf(':') + 1));
    }
}
