package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.RunQueue;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A queue in another order than that of the rules. */
record MisorderedQueue(RunQueue queue, Comparator<Run> order) implements RunQueue {

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public Optional<Run> find(RunId id) {
        return queue.find(id);
    }

    @Override
    public List<Run> front(Set<RunId> except, int limit) {
        return queue.front(except, Integer.MAX_VALUE).stream()
                .sorted(order)
                .limit(limit)
                .toList();
    }

    @Override
    public List<Run> resting(Set<RunId> except, int limit) {
        return queue.resting(except, limit);
    }

    @Override
    public List<Run> due(Instant now, Set<RunId> except, int limit) {
        return queue.due(now, except, limit);
    }

    @Override
    public List<Run> ofJob(JobName job, Set<RunId> except) {
        return queue.ofJob(job, except);
    }

    @Override
    public int ahead(Run run, Instant now, Set<RunId> except) {
        return (int) front(except, Integer.MAX_VALUE).stream()
                .filter(other -> order.compare(other, run) < 0)
                .count();
    }

    @Override
    public @Nullable Instant nextDue(Set<RunId> except) {
        return queue.nextDue(except);
    }
}
