package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import java.util.ArrayList;
import java.util.List;

/** What a workload has measured so far. Safe for use by many threads. */
public final class Results {

    private final List<Comparison> comparisons = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /** Nothing yet. */
    public Results() {}

    /** Adds an empty comparison. */
    public synchronized Comparison compare(String name, String title, Figure main) {
        Comparison comparison = new Comparison(name, title, main);
        comparisons.add(comparison);
        return comparison;
    }

    /** Adds a remark that belongs to no table. */
    public synchronized void remark(String remark) {
        remarks.add(remark);
    }

    /** All comparisons. */
    public synchronized List<Comparison> comparisons() {
        return List.copyOf(comparisons);
    }

    /** All remarks. */
    public synchronized List<String> remarks() {
        return List.copyOf(remarks);
    }
}
