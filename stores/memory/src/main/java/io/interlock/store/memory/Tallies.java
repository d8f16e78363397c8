package io.interlock.store.memory;

import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.Tally;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Counts runs by tenant, job and state. */
final class Tallies {

    private Tallies() {}

    private record Counted(String tenant, JobName job, RunState state) {

        static Counted by(Run run) {
            return new Counted(run.key().tenant(), run.job(), run.state());
        }
    }

    static List<Tally> of(Stream<Run> runs) {
        return runs.collect(Collectors.groupingBy(Counted::by)).entrySet().stream()
                .map(entry -> tally(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparing(Tally::tenant)
                        .thenComparing(Tally::job)
                        .thenComparing(Tally::state))
                .toList();
    }

    private static Tally tally(Counted what, List<Run> runs) {
        Instant oldest = runs.stream()
                .map(run -> run.status().since())
                .min(Comparator.naturalOrder())
                .orElseThrow();
        return new Tally(what.tenant(), what.job(), what.state(), runs.size(), oldest);
    }
}
