package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunSpec.Execution;
import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many who wait for one run, some of whom come while others leave. */
@Timeout(60)
class ManyWhoWaitTest {

    private static final int ROUNDS = 1500;

    @Test
    void whoComesWhenTheLastOneLeavesWaitsForTheEndAllTheSame() throws Exception {
        MemoryStore store = new MemoryStore(Environment.system());
        try (RunEngine engine = builder(store).build()) {
            CallerRun work = begun(engine);
            RunId id = work.run().id();
            AtomicBoolean enough = new AtomicBoolean();
            AtomicLong left = new AtomicLong();
            Thread leaving = new Thread(() -> {
                while (!enough.get()) {
                    end(engine, id).cancel(false);
                    left.incrementAndGet();
                }
            });
            leaving.start();
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    CompletableFuture<Optional<Run>> end = end(engine, id);
                    long before = left.get();
                    while (leaving.isAlive() && left.get() < before + 10) {
                        Thread.onSpinWait();
                    }
                    assertThat(end).as("round %s", i).isNotDone();
                    end.cancel(false);
                }
            } finally {
                enough.set(true);
                leaving.join();
            }
            CompletableFuture<Optional<Run>> last = end(engine, id);
            work.finish(new Ending.Succeeded(null));
            assertThat(last.get(20, TimeUnit.SECONDS)).isPresent();
        }
    }

    @Test
    void aLookThatBreaksIsNotTheLastOne() throws Exception {
        MemoryStore store = new MemoryStore(Environment.system());
        FaultyStore faults = new FaultyStore(store.anotherClient()).silent();
        try (RunEngine other = builder(store).build();
                RunEngine engine =
                        builder(faults.store()).pollEvery(Duration.ofMillis(20)).build()) {
            CallerRun work = begun(other);
            faults.slowQuestions("findRun", () -> {
                throw new InternalError("no room for another stack");
            });
            CompletableFuture<Optional<Run>> end = end(engine, work.run().id());
            await().until(() -> faults.calls("findRun") > 0);
            faults.up();
            work.finish(new Ending.Succeeded(null));
            assertThat(end.get(20, TimeUnit.SECONDS)).isPresent();
        }
    }

    @Test
    void oneLookIsEnoughForAllThoughTheyAreToldLate() {
        EngineThreads threads = EngineThreads.of(Environment.system());
        Queue<Runnable> looks = new ConcurrentLinkedQueue<>();
        Queue<Runnable> told = new ConcurrentLinkedQueue<>();
        try (RunEngine engine = builder(new MemoryStore(Environment.system()))
                .threads(new EngineThreads(
                        looks::add,
                        threads.heartbeats(),
                        threads.endings(),
                        threads.work(),
                        told::add,
                        threads.closing()))
                .build()) {
            RunId gone = RunId.create(
                    Environment.system().clock(), Environment.system().random());
            List<CompletableFuture<Optional<Run>>> ends =
                    IntStream.range(0, 100).mapToObj(each -> end(engine, gone)).toList();
            assertThat(looks).hasSize(1);
            looks.remove().run();
            assertThat(told).hasSize(100);
            assertThat(looks).isEmpty();
            told.forEach(Runnable::run);
            assertThat(ends).allMatch(end -> end.join().isEmpty());
        }
    }

    private static EngineBuilder builder(RunStore store) {
        return RunEngine.builder(store).slots(0).drainTime(Duration.ZERO).withoutBooks();
    }

    private static CallerRun begun(RunEngine engine) {
        Submission answer = engine.submit(
                RunRequest.of(LockKey.of("acme", "ledger"), "by-hand").execution(Execution.CALLER));
        return requireNonNull(((Submission.Started) answer).work());
    }

    private static CompletableFuture<Optional<Run>> end(RunEngine engine, RunId id) {
        return engine.awaitEndAsync(id, Duration.ofMinutes(1)).toCompletableFuture();
    }
}
