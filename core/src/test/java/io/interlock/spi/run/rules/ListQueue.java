package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A queue that is a list, and reads all of it for every query. */
record ListQueue(List<Run> runs, Instant writtenAt) implements RunQueue {

    @Override
    public int size() {
        return runs.size();
    }

    @Override
    public Optional<Run> find(RunId id) {
        return runs.stream().filter(run -> run.id().equals(id)).findFirst();
    }

    @Override
    public List<Run> front(Set<RunId> except, int limit) {
        return others(except)
                .filter(run -> QueueRules.isReady(run, writtenAt))
                .sorted(QueueRules.ORDER)
                .limit(limit)
                .toList();
    }

    @Override
    public List<Run> resting(Set<RunId> except, int limit) {
        return others(except)
                .filter(run -> !QueueRules.isReady(run, writtenAt))
                .sorted(QueueRules.ORDER)
                .limit(limit)
                .toList();
    }

    @Override
    public List<Run> due(Instant now, Set<RunId> except, int limit) {
        return others(except)
                .filter(run -> {
                    Instant due = DueRules.ofWaiting(run, writtenAt);
                    return due != null && !due.isAfter(now);
                })
                .limit(limit)
                .toList();
    }

    @Override
    public List<Run> ofJob(JobName job, Set<RunId> except) {
        return others(except).filter(run -> run.job().equals(job)).toList();
    }

    @Override
    public int ahead(Run run, Instant now, Set<RunId> except) {
        Comparator<Run> order = QueueRules.readyFirst(now);
        return (int)
                others(except).filter(other -> order.compare(other, run) < 0).count();
    }

    @Override
    public @Nullable Instant nextDue(Set<RunId> except) {
        return others(except)
                .map(run -> DueRules.ofWaiting(run, writtenAt))
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    private Stream<Run> others(Set<RunId> except) {
        return runs.stream().filter(run -> !except.contains(run.id()));
    }
}
