package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.RunQueue;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The runs that wait for one key: those that are ready and the others in their order, all of them by number, by job and by
 * when they are due. The cost of a query does not depend on the length of the queue, except that of {@link #ahead} for a run
 * that is not the last one. Guarded by the monitor of its {@link RunRows}.
 */
final class MemoryQueue implements RunQueue {

    private final Map<RunId, Waiting> waiting = new HashMap<>();
    private final NavigableMap<Long, Run> byNumber = new TreeMap<>();
    private final Map<JobName, NavigableMap<Long, Run>> byJob = new HashMap<>();
    private final NavigableSet<Run> ready = new TreeSet<>(QueueRules.ORDER);
    private final NavigableSet<Run> resting = new TreeSet<>(QueueRules.ORDER);
    private final NavigableSet<Due> dues =
            new TreeSet<>(Comparator.comparing(Due::at).thenComparingLong(Due::number));

    private record Waiting(
            Run run, boolean isReady, @Nullable Due due) {}

    private record Due(Instant at, long number, RunId run) {}

    /** Adds a run, or moves it to its current place. */
    void put(Run run, boolean isReady, @Nullable Instant dueAt) {
        remove(run.id());
        Due due = dueAt == null ? null : new Due(dueAt, run.number(), run.id());
        waiting.put(run.id(), new Waiting(run, isReady, due));
        byNumber.put(run.number(), run);
        byJob.computeIfAbsent(run.job(), job -> new TreeMap<>()).put(run.number(), run);
        (isReady ? ready : resting).add(run);
        if (due != null) {
            dues.add(due);
        }
    }

    void remove(RunId id) {
        Waiting known = waiting.remove(id);
        if (known == null) {
            return;
        }
        Run run = known.run();
        byNumber.remove(run.number());
        NavigableMap<Long, Run> ofJob = byJob.get(run.job());
        if (ofJob != null && ofJob.remove(run.number()) != null && ofJob.isEmpty()) {
            byJob.remove(run.job());
        }
        (known.isReady() ? ready : resting).remove(run);
        if (known.due() != null) {
            dues.remove(known.due());
        }
    }

    /** All waiting runs, in the order of their numbers. */
    Collection<Run> all() {
        return byNumber.values();
    }

    /** When the first of the waiting runs was submitted, or {@code null} if none waits. */
    @Nullable
    Instant oldest() {
        return byNumber.isEmpty() ? null : byNumber.firstEntry().getValue().submittedAt();
    }

    @Override
    public int size() {
        return waiting.size();
    }

    @Override
    public Optional<Run> find(RunId id) {
        return Optional.ofNullable(waiting.get(id)).map(Waiting::run);
    }

    @Override
    public List<Run> front(Set<RunId> except, int limit) {
        return others(ready, except, limit);
    }

    @Override
    public List<Run> resting(Set<RunId> except, int limit) {
        return others(resting, except, limit);
    }

    @Override
    public List<Run> due(Instant now, Set<RunId> except, int limit) {
        return dues.stream()
                .takeWhile(due -> !due.at().isAfter(now))
                .filter(due -> !except.contains(due.run()))
                .limit(limit)
                .flatMap(due -> find(due.run()).stream())
                .toList();
    }

    @Override
    public List<Run> ofJob(JobName job, Set<RunId> except) {
        NavigableMap<Long, Run> runs = byJob.get(job);
        return runs == null ? List.of() : others(runs.values(), except, Integer.MAX_VALUE);
    }

    @Override
    public int ahead(Run run, Instant now, Set<RunId> except) {
        boolean isReady = QueueRules.isReady(run, now);
        int ahead = isReady ? before(ready, run) : ready.size() + before(resting, run);
        long left = except.stream()
                .map(waiting::get)
                .filter(other -> other != null
                        && (isReady == other.isReady()
                                ? QueueRules.ORDER.compare(other.run(), run) < 0
                                : other.isReady()))
                .count();
        return ahead - (int) left;
    }

    private static int before(NavigableSet<Run> runs, Run run) {
        boolean isLast = runs.isEmpty() || QueueRules.ORDER.compare(runs.last(), run) < 0;
        return isLast ? runs.size() : runs.headSet(run).size();
    }

    @Override
    public @Nullable Instant nextDue(Set<RunId> except) {
        return dues.stream()
                .filter(due -> !except.contains(due.run()))
                .map(Due::at)
                .findFirst()
                .orElse(null);
    }

    private static List<Run> others(Collection<Run> runs, Set<RunId> except, int limit) {
        return runs.stream()
                .filter(run -> !except.contains(run.id()))
                .limit(limit)
                .toList();
    }
}
