package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.measure.Throughput;
import io.interlock.benchmark.peer.RunPeer;
import io.interlock.benchmark.peer.RunPeers;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs that all wait for one key: how fast further ones get in line, and how fast they end one after the other. */
final class OneKey implements Workload {

    /** What the store that was there before this benchmark reached; the bar is ten times that. */
    private static final double SUBMITS_BEFORE = 56;

    private static final double ENDS_BEFORE = 35;
    private static final int IN_LINE = 1_000;
    private static final int CALLERS = 8;
    private static final int SLOTS = 16;
    private static final String KEY = "one-key";

    @Override
    public String name() {
        return "one-key";
    }

    @Override
    public String title() {
        return "one key with 1,000 runs in line: 8 callers submit further ones, then a worker does them";
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratioTo(
                        name() + "/submits",
                        Figure.SUBMITS_PER_SECOND,
                        RunPeers.INTERLOCK.title(),
                        SUBMITS_BEFORE,
                        Limit.atLeast(10)),
                Bar.ratioTo(
                        name() + "/ends",
                        Figure.ENDS_PER_SECOND,
                        RunPeers.INTERLOCK.title(),
                        ENDS_BEFORE,
                        Limit.atLeast(10)));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name(), title(), Figure.SUBMITS_PER_SECOND);
        comparison.note(
                "The ratios are to 56 submits and 35 ends a second, which the store reached before it was rewritten.");
        Rounds.run(
                comparison,
                bench.pace(),
                List.of(new Contender(RunPeers.INTERLOCK.title(), pace -> measure(comparison, postgres, pace))));
    }

    private static Measurement measure(Comparison comparison, PostgresUnderTest postgres, Pace pace) throws Exception {
        PostgresAddress database = postgres.newDatabase("onekey");
        RunPeer peer = RunPeers.INTERLOCK.peer();
        AtomicInteger submitted = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try {
            Measurement submits;
            double ends;
            try (RunPeer.Submitting submitting = peer.submitter(database)) {
                Parallel.forEach(CALLERS, IN_LINE, i -> submitting.submit("", KEY));
                submits = Throughput.measure(CALLERS, pace, Meter.of(postgres), thread -> {
                    submitting.submit("", KEY);
                    submitted.incrementAndGet();
                });
                try (AutoCloseable worker = peer.worker(database, SLOTS, key -> done.incrementAndGet())) {
                    ends = endsPerSecond(done, submitted.get() + IN_LINE / 2, pace);
                }
            }
            Counted.hotUpdates(comparison, RunPeers.INTERLOCK.title(), postgres, database);
            return submits.renamed(Figure.PER_SECOND, Figure.SUBMITS_PER_SECOND).with(Figure.ENDS_PER_SECOND, ends);
        } finally {
            postgres.drop(database);
        }
    }

    /** Counts from the first end on, until the time is over or only half of a thousand are left in line. */
    private static double endsPerSecond(AtomicInteger done, int most, Pace pace) throws InterruptedException {
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (done.get() == 0 && System.nanoTime() < patience) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        int first = done.get();
        long began = System.nanoTime();
        long until = began + pace.time().toNanos() * 2;
        while (System.nanoTime() < until && done.get() < most) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return (done.get() - first) / ((System.nanoTime() - began) / 1e9);
    }
}
