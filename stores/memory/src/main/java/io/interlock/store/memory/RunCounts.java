package io.interlock.store.memory;

import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.OpenRuns;
import io.interlock.run.Run;
import io.interlock.run.RunCount;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Runs that have not ended, and open dead letters, by tenant, job and state. Guarded by the monitor of its
 * {@link RunRows}.
 */
final class RunCounts {

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

    List<RunCount> all() {
        return counts.entrySet().stream()
                .map(entry -> count(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparing(RunCount::tenant)
                        .thenComparing(RunCount::job)
                        .thenComparing(RunCount::state))
                .toList();
    }

    OpenRuns open(String tenant, long most) {
        List<Run> open = counts.entrySet().stream()
                .filter(entry ->
                        entry.getKey().tenant().equals(tenant) && entry.getKey().state() != RunState.DEAD)
                .flatMap(entry -> entry.getValue().stream())
                .limit(most)
                .toList();
        return new OpenRuns(
                open.size(),
                open.stream().mapToLong(run -> OpenRuns.payload(run.spec())).sum());
    }

    private static RunCount count(Counted what, NavigableSet<Run> runs) {
        return new RunCount(
                what.tenant(),
                what.job(),
                what.state(),
                runs.size(),
                runs.first().status().since());
    }
}
