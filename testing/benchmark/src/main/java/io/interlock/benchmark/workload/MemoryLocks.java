package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.peer.InterlockLocks;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import java.util.List;

/** The store in memory, by one thread: what the library costs where nothing is stored. */
final class MemoryLocks implements Workload {

    /** An acquire may take 100 µs, and a release 50. */
    private static final Limit LONGEST_CYCLE = Limit.atMost(150);

    @Override
    public String name() {
        return "memory-1";
    }

    @Override
    public String title() {
        return "acquire + release of free keys in memory, 1 thread";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.value(name() + "/p50", Figure.P50_MICROS, InterlockLocks.NAME, LONGEST_CYCLE));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        Comparison comparison = results.compare(name(), title(), Figure.PER_SECOND);
        try (LockContest contest = new LockContest(LockUse.ACQUIRE_RELEASE, 1)) {
            contest.add(InterlockLocks.NAME, InterlockLocks.open("memory:"));
            contest.run(comparison, bench.pace(), Meter.ofMachine(), InterlockLocks.NAME);
        }
    }
}
