package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.report.Bar;
import java.time.Duration;
import java.util.List;

/** Something that is measured. Used by one thread. */
public interface Workload {

    /** What it is called on the command line. */
    String name();

    /** What it measures, in one line. */
    String title();

    /** What must be reached, by the comparisons that {@link #run} adds to the results. */
    List<Bar> bars();

    /** How long it may take at the most; then what was measured so far counts. */
    default Duration limit(Pace pace) {
        return pace.span(Duration.ofMinutes(10), Duration.ofMinutes(3));
    }

    /** Whether it runs only if it is named. */
    default boolean onlyIfNamed() {
        return false;
    }

    /** Measures. Results are added as they come, so that those of a workload that is stopped are there. */
    void run(Bench bench, Results results) throws Exception;
}
