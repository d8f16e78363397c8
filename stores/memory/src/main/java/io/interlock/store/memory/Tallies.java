package io.interlock.store.memory;

import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.Tally;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Runs that have not ended, and open dead letters, by tenant, job and state. Its user holds the monitor of the {@link RunRows} it
 * belongs to.
 */
final class Tallies {

    private final Map<Counted, NavigableSet<Run>> counts = new HashMap<>();

    private record Counted(String tenant, JobName job, RunState state) {

        static Counted by(Run run) {
            return new Counted(run.key().tenant(), run.job(), run.state());
        }
    }

    void add(Run run) {
        counts.computeIfAbsent(
                        Counted.by(run),
                        counted -> new TreeSet<>(
                                Comparator.comparing((Run each) -> each.status().since())
                                        .thenComparingLong(Run::number)))
                .add(run);
    }

    void remove(Run run) {
        counts.computeIfPresent(Counted.by(run), (counted, runs) -> runs.remove(run) && runs.isEmpty() ? null : runs);
    }

    List<Tally> all() {
        return counts.entrySet().stream()
                .map(entry -> tally(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparing(Tally::tenant)
                        .thenComparing(Tally::job)
                        .thenComparing(Tally::state))
                .toList();
    }

    private static Tally tally(Counted what, NavigableSet<Run> runs) {
        return new Tally(
                what.tenant(),
                what.job(),
                what.state(),
                runs.size(),
                runs.first().status().since());
    }
}
