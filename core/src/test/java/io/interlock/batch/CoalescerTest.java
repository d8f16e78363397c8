package io.interlock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LockKey;
import io.interlock.spi.Answers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class CoalescerTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<List<Integer>> batches = new CopyOnWriteArrayList<>();
    private final List<Thread> workers = new CopyOnWriteArrayList<>();
    private final CountDownLatch firstBatchUnderWay = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void oneThreadWaitsForNobody() {
        Coalescer<Integer, String> coalescer = new Coalescer<>(this::answer, List::of, 100, 1, threads);
        assertThat(coalescer.call(1)).isEqualTo("a1");
        assertThat(coalescer.call(2)).isEqualTo("a2");
        assertThat(batches).containsExactly(List.of(1), List.of(2));
        assertThat(workers).containsOnly(Thread.currentThread());
    }

    @Test
    void whatGathersDuringABatchMakesTheNextOne() throws Exception {
        Coalescer<Integer, String> coalescer = gated(this::answer, 100);
        List<CompletableFuture<String>> all = gather(coalescer, 10);
        goOn.countDown();
        for (int i = 0; i < 10; i++) {
            assertThat(all.get(i).get(5, TimeUnit.SECONDS)).isEqualTo("a" + i);
        }
        assertThat(batches).hasSize(2);
        assertThat(batches.get(0)).containsExactly(0);
        assertThat(batches.get(1)).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void noBatchIsLargerThanAllowedAndNobodyIsLeftBehind() throws Exception {
        Coalescer<Integer, String> coalescer = gated(this::answer, 4);
        List<CompletableFuture<String>> all = gather(coalescer, 30);
        goOn.countDown();
        for (CompletableFuture<String> each : all) {
            assertThat(each.get(5, TimeUnit.SECONDS)).startsWith("a");
        }
        assertThat(batches).allMatch(batch -> batch.size() <= 4);
        assertThat(batches.stream().mapToInt(List::size).sum()).isEqualTo(30);
    }

    @Test
    void tenantsTakeTurns() throws Exception {
        List<List<LockKey>> steps = new CopyOnWriteArrayList<>();
        Coalescer<LockKey, String> coalescer = new Coalescer<>(
                keys -> {
                    steps.add(List.copyOf(keys));
                    if (steps.size() == 1) {
                        firstBatchUnderWay.countDown();
                        join(goOn);
                    }
                    return Answers.of(keys.stream().map(LockKey::name).toList());
                },
                List::of,
                4,
                1,
                threads);
        List<CompletionStage<String>> all = new ArrayList<>();
        all.add(coalescer.submit(LockKey.of("first", "alone")));
        firstBatchUnderWay.await();
        for (int i = 0; i < 40; i++) {
            all.add(coalescer.submit(LockKey.of("many", "key/" + i)));
        }
        all.add(coalescer.submit(LockKey.of("few", "a")));
        all.add(coalescer.submit(LockKey.of("few", "b")));
        goOn.countDown();
        for (CompletionStage<String> each : all) {
            each.toCompletableFuture().get(5, TimeUnit.SECONDS);
        }
        assertThat(steps.get(1))
                .containsExactly(
                        LockKey.of("many", "key/0"),
                        LockKey.of("few", "a"),
                        LockKey.of("many", "key/1"),
                        LockKey.of("few", "b"));
        assertThat(steps.stream()
                        .flatMap(List::stream)
                        .filter(key -> key.tenant().equals("many")))
                .as("requests of one tenant keep their order")
                .extracting(LockKey::name)
                .containsExactlyElementsOf(
                        IntStream.range(0, 40).mapToObj(i -> "key/" + i).toList());
    }

    @Test
    void aLeaderServesOthersOnlyUntilItsOwnRequestIsDone() throws Exception {
        Coalescer<Integer, String> coalescer = gated(this::answer, 1);
        List<CompletableFuture<String>> all = gather(coalescer, 8);
        goOn.countDown();
        for (CompletableFuture<String> each : all) {
            each.get(5, TimeUnit.SECONDS);
        }
        assertThat(workers)
                .as("with batches of one, every caller serves itself")
                .doesNotHaveDuplicates();
    }

    @Test
    void nobodySuffersForAnothersError() throws Exception {
        Coalescer<Integer, String> coalescer = gated(
                batch -> {
                    if (batch.contains(3)) {
                        throw new IllegalArgumentException("3 is poison");
                    }
                    return answer(batch);
                },
                100);
        List<CompletableFuture<String>> all = gather(coalescer, 6);
        goOn.countDown();
        for (int i = 0; i < 6; i++) {
            CompletableFuture<String> each = all.get(i);
            if (i == 3) {
                assertThatThrownBy(() -> each.get(5, TimeUnit.SECONDS)).hasMessageContaining("3 is poison");
            } else {
                assertThat(each.get(5, TimeUnit.SECONDS)).isEqualTo("a" + i);
            }
        }
    }

    @Test
    void whatIsLeftOpenIsAskedAgainAloneOnItsOwnThread() throws Exception {
        List<Thread> alone = new CopyOnWriteArrayList<>();
        Coalescer<Integer, String> coalescer = gated(
                batch -> {
                    if (batch.equals(List.of(2))) {
                        alone.add(Thread.currentThread());
                    }
                    List<@Nullable String> answers = new ArrayList<>();
                    batch.forEach(each -> answers.add(each == 2 && batch.size() > 1 ? null : "a" + each));
                    return Answers.partly(answers);
                },
                100);
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        List<CompletableFuture<String>> all = gather(coalescer, 2);
        CompletableFuture<String> open = CompletableFuture.supplyAsync(
                () -> {
                    thread.complete(Thread.currentThread());
                    return coalescer.call(2);
                },
                threads);
        awaitParked(thread.get(5, TimeUnit.SECONDS));
        goOn.countDown();
        assertThat(open.get(5, TimeUnit.SECONDS)).isEqualTo("a2");
        assertThat(all.get(1).get(5, TimeUnit.SECONDS)).isEqualTo("a1");
        assertThat(alone).containsExactly(thread.get());
    }

    @Test
    void aBatchWithTooFewAnswersHarmsNobody() throws Exception {
        Coalescer<Integer, String> coalescer =
                gated(batch -> batch.size() > 1 ? Answers.of(List.of("one")) : answer(batch), 100);
        List<CompletableFuture<String>> all = gather(coalescer, 4);
        goOn.countDown();
        for (int i = 0; i < 4; i++) {
            assertThat(all.get(i).get(5, TimeUnit.SECONDS)).isEqualTo("a" + i);
        }
    }

    @Test
    void anInterruptDoesNotEndTheWaitAndIsNotSwallowed() throws Exception {
        Coalescer<Integer, String> coalescer = gated(
                batch -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    return answer(batch);
                },
                100);
        List<CompletableFuture<String>> first = gather(coalescer, 1);
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<Boolean> flag = CompletableFuture.supplyAsync(
                () -> {
                    thread.complete(Thread.currentThread());
                    assertThat(coalescer.call(1)).isEqualTo("a1");
                    return Thread.interrupted();
                },
                threads);
        awaitParked(thread.get(5, TimeUnit.SECONDS));
        thread.get().interrupt();
        awaitParked(thread.get());
        assertThat(flag).isNotDone();
        goOn.countDown();
        assertThat(flag.get(5, TimeUnit.SECONDS)).isTrue();
        assertThat(first.get(0).get()).isEqualTo("a0");
    }

    @Test
    void submittedRequestsNeedNoThreadThatWaits() throws Exception {
        Coalescer<Integer, String> coalescer = gated(this::answer, 100);
        List<CompletableFuture<String>> all = new ArrayList<>();
        all.add(coalescer.submit(0).toCompletableFuture());
        assertThat(firstBatchUnderWay.await(5, TimeUnit.SECONDS)).isTrue();
        for (int i = 1; i < 50; i++) {
            all.add(coalescer.submit(i).toCompletableFuture());
        }
        goOn.countDown();
        for (int i = 0; i < 50; i++) {
            assertThat(all.get(i).get(5, TimeUnit.SECONDS)).isEqualTo("a" + i);
        }
        assertThat(batches).hasSize(2);
    }

    @Test
    void aSubmittedRequestWithoutAThreadFailsAndHoldsUpNobody() throws Exception {
        Coalescer<Integer, String> coalescer = new Coalescer<>(this::answer, List::of, 100, 1, task -> {
            throw new RejectedExecutionException("closed");
        });
        CompletableFuture<String> submitted = coalescer.submit(1).toCompletableFuture();
        assertThatThrownBy(() -> submitted.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(coalescer.call(2)).isEqualTo("a2");
    }

    @Test
    void anExecutorThatBreaksHoldsUpNobody() throws Exception {
        Coalescer<Integer, String> coalescer = new Coalescer<>(this::answer, List::of, 100, 1, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        CompletableFuture<String> submitted = coalescer.submit(1).toCompletableFuture();
        assertThatThrownBy(() -> submitted.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(CompletableFuture.supplyAsync(() -> coalescer.call(2), threads)
                        .get(5, TimeUnit.SECONDS))
                .isEqualTo("a2");
    }

    @Test
    void whoeverCannotBeAskedAgainHoldsUpNobodyOfItsBatch() throws Exception {
        CompletableFuture<Runnable> leading = new CompletableFuture<>();
        Coalescer<Integer, String> coalescer = new Coalescer<>(
                batch -> {
                    List<@Nullable String> answers = new ArrayList<>();
                    batch.forEach(each -> answers.add(each == 1 ? null : "a" + each));
                    return Answers.partly(answers);
                },
                List::of,
                100,
                1,
                task -> {
                    if (!leading.complete(task)) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                });
        CompletableFuture<String> first = coalescer.submit(0).toCompletableFuture();
        CompletableFuture<String> open = coalescer.submit(1).toCompletableFuture();
        CompletableFuture<String> last = coalescer.submit(2).toCompletableFuture();
        threads.execute(leading.join());
        assertThat(first.get(5, TimeUnit.SECONDS)).isEqualTo("a0");
        assertThatThrownBy(() -> open.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(last.get(5, TimeUnit.SECONDS)).isEqualTo("a2");
    }

    @Test
    void aCheckedExceptionThatSlippedThroughIsAFailureLikeAnyOther() throws Exception {
        Coalescer<Integer, String> coalescer = gated(
                batch -> {
                    if (batch.contains(1)) {
                        CoalescerTest.<RuntimeException>slip(new IOException("disk full"));
                    }
                    return answer(batch);
                },
                100);
        List<CompletableFuture<String>> all = gather(coalescer, 3);
        CompletableFuture<String> submitted = coalescer.submit(1).toCompletableFuture();
        goOn.countDown();
        assertThat(all.get(2).get(5, TimeUnit.SECONDS)).isEqualTo("a2");
        assertThatThrownBy(() -> all.get(1).get(5, TimeUnit.SECONDS)).hasRootCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> submitted.get(5, TimeUnit.SECONDS)).hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void aCallerThatOverflowsItsStackHoldsUpNobody() throws Exception {
        Coalescer<Integer, String> coalescer =
                new Coalescer<>(batch -> Answers.of(Collections.nCopies(batch.size(), "a")), List::of, 100, 1, threads);
        for (int i = 0; i < 20; i++) {
            int[] calls = {0};
            Thread deep = new Thread(null, () -> callFromTheDeep(coalescer, calls), "deep", 300_000 + i * 517L);
            deep.start();
            deep.join(5_000);
            assertThat(deep.isAlive()).isFalse();
            assertThat(CompletableFuture.supplyAsync(() -> coalescer.call(1), threads)
                            .get(5, TimeUnit.SECONDS))
                    .isEqualTo("a");
        }
    }

    @SuppressWarnings("unchecked") // As in languages without checked exceptions.
    private static <X extends Throwable> void slip(Throwable checked) throws X {
        throw (X) checked;
    }

    /** Goes down until the stack overflows, and calls at every depth on the way back until five calls were answered. */
    @SuppressWarnings("InfiniteRecursion") // That is the point.
    private static void callFromTheDeep(Coalescer<Integer, String> coalescer, int[] answered) {
        try {
            callFromTheDeep(coalescer, answered);
        } catch (StackOverflowError bottom) {
            // That is where it begins.
        }
        if (answered[0] < 5) {
            try {
                coalescer.call(0);
                answered[0]++;
            } catch (StackOverflowError stillTooDeep) {
                // Tries again one step higher.
            }
        }
    }

    private Answers<String> answer(List<Integer> batch) {
        batches.add(batch);
        workers.add(Thread.currentThread());
        return Answers.of(batch.stream().map(each -> "a" + each).toList());
    }

    /** The batch with request 0 continues only when the test allows it. */
    private Coalescer<Integer, String> gated(Function<List<Integer>, Answers<String>> step, int maxBatch) {
        return new Coalescer<>(
                batch -> {
                    if (batch.contains(0)) {
                        firstBatchUnderWay.countDown();
                        join(goOn);
                    }
                    return step.apply(batch);
                },
                List::of,
                maxBatch,
                1,
                threads);
    }

    /** Calls with 0 and, once that is in progress, with 1 to count − 1; returns when all of them wait. */
    private List<CompletableFuture<String>> gather(Coalescer<Integer, String> coalescer, int count) throws Exception {
        List<CompletableFuture<String>> all = new ArrayList<>();
        all.add(CompletableFuture.supplyAsync(() -> coalescer.call(0), threads));
        assertThat(firstBatchUnderWay.await(5, TimeUnit.SECONDS)).isTrue();
        for (int i = 1; i < count; i++) {
            int request = i;
            CompletableFuture<Thread> thread = new CompletableFuture<>();
            all.add(CompletableFuture.supplyAsync(
                    () -> {
                        thread.complete(Thread.currentThread());
                        return coalescer.call(request);
                    },
                    threads));
            awaitParked(thread.get(5, TimeUnit.SECONDS));
        }
        return all;
    }

    private static void awaitParked(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
