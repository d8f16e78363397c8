package io.interlock.benchmark.workload;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.peer.RunPeers;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Ending;
import io.interlock.run.RunQuery;
import io.interlock.run.RunSpec.Execution;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Callers of one process that wait for one key: first while it is held all the time, then while it goes from one of them to
 * the next. None may be declared lost, for all of them live.
 */
final class LiveWaiters implements Workload {

    private static final LockKey KEY = LockKey.of("waiters");
    private static final int CALLERS = 1_000;
    private static final int THREADS = 64;
    private static final Duration HELD = Duration.ofSeconds(30);
    private static final Duration HANDED_ON = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "waiters";
    }

    @Override
    public String title() {
        return "1,000 callers of one process that wait for one key, held for 30 s and then handed on for 30 s at the most";
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.value(name() + "/waiting", Figure.WAITING, RunPeers.INTERLOCK.title(), Limit.atLeast(CALLERS)),
                Bar.value(name() + "/lost", Figure.LOST, RunPeers.INTERLOCK.title(), Limit.atMost(0)));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name(), title(), Figure.LOST);
        PostgresAddress database = postgres.newDatabase("waiters");
        RunRequest request =
                RunRequest.of(KEY, "bench").execution(Execution.CALLER).onConflict(ConflictPolicy.QUEUE);
        Callers callers = new Callers();
        try (RunEngine engine = RunEngine.builder(database.storeUrl())
                .slots(0)
                .drainTime(Duration.ofSeconds(1))
                .build()) {
            Submission first = engine.submit(request);
            Meter meter = Meter.of(postgres);
            Meter.Reading before = meter.read();
            long began = System.nanoTime();
            Parallel.forEach(THREADS, CALLERS, i -> callers.add(engine.submit(request)));
            double inLine = CALLERS / ((System.nanoTime() - began) / 1e9);
            TimeUnit.NANOSECONDS.sleep(HELD.toNanos());
            int waiting = callers.waiting.get();
            double ends = handOn(first, callers);
            comparison.add(
                    RunPeers.INTERLOCK.title(),
                    Measurement.none()
                            .with(Figure.LOST, Math.max(callers.lost.get(), aborted(engine)))
                            .with(Figure.WAITING, waiting)
                            .with(Figure.SUBMITS_PER_SECOND, inLine)
                            .with(Figure.ENDS_PER_SECOND, ends)
                            .with(before.until(meter.read()).of(CALLERS)));
        } finally {
            postgres.drop(database);
        }
    }

    /** Runs that the store has taken out of the line, whether or not their callers were told yet. */
    private static int aborted(RunEngine engine) {
        return engine.list(RunQuery.ofTenant(KEY.tenant()).of(KEY).in(RunState.ABORTED))
                .runs()
                .size();
    }

    private static double handOn(Submission first, Callers callers) throws InterruptedException {
        long began = System.nanoTime();
        if (first instanceof Submission.Started started && started.work() != null) {
            started.work().finish(new Ending.Succeeded(null));
        }
        while (callers.waiting.get() > 0 && System.nanoTime() - began < HANDED_ON.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return callers.ended.get() / ((System.nanoTime() - began) / 1e9);
    }

    /** Those in line, and what became of them. */
    private static final class Callers {

        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger lost = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();

        /** Waits for its turn without a thread, and ends its run as soon as it has it. */
        void add(Submission submission) {
            if (submission instanceof Submission.Queued queued && queued.turn() != null) {
                waiting.incrementAndGet();
                CompletableFuture<Void> end =
                        queued.turn().takeAsync().thenAccept(this::finish).toCompletableFuture();
                end.exceptionally(failure -> {
                    lost.incrementAndGet();
                    return null;
                });
            }
        }

        private void finish(CallerTurn.Outcome outcome) {
            waiting.decrementAndGet();
            if (outcome instanceof CallerTurn.Outcome.Granted granted) {
                CallerRun work = granted.work();
                work.finishAsync(new Ending.Succeeded(null)).whenComplete((run, failure) -> ended.incrementAndGet());
            } else {
                lost.incrementAndGet();
            }
        }
    }
}
