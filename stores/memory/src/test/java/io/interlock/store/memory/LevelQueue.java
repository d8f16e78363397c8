package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.RunQueue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A queue that shows all its runs with the same priority. */
record LevelQueue(RunQueue queue) implements RunQueue {

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public Optional<Run> find(RunId id) {
        return queue.find(id).map(LevelQueue::level);
    }

    @Override
    public List<Run> front(Set<RunId> except, int limit) {
        return level(queue.front(except, Integer.MAX_VALUE)).stream()
                .sorted(QueueRules.ORDER)
                .limit(limit)
                .toList();
    }

    @Override
    public List<Run> resting(Set<RunId> except, int limit) {
        return level(queue.resting(except, limit));
    }

    @Override
    public List<Run> due(Instant now, Set<RunId> except, int limit) {
        return level(queue.due(now, except, limit));
    }

    @Override
    public List<Run> ofJob(JobName job, Set<RunId> except) {
        return level(queue.ofJob(job, except));
    }

    @Override
    public int ahead(Run run, Instant now, Set<RunId> except) {
        Run newcomer = level(run);
        return (int) front(except, Integer.MAX_VALUE).stream()
                .filter(other -> QueueRules.ORDER.compare(other, newcomer) < 0)
                .count();
    }

    @Override
    public @Nullable Instant nextDue(Set<RunId> except) {
        return queue.nextDue(except);
    }

    private static List<Run> level(List<Run> runs) {
        return runs.stream().map(LevelQueue::level).toList();
    }

    private static Run level(Run run) {
        return new Run(
                run.id(), run.key(), run.number(), run.submittedAt(), run.spec().priority(0), run.line(), run.status());
    }
}
