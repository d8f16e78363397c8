package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.RunQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The runs that wait for one key: those that are ready by priority and number, the others by number, all of them by
 * job and by
 * when they are due. The cost of a query does not depend on the length of the queue, except {@link #ahead} among runs
 * of the same priority. Guarded by the monitor of its {@link RunRows}.
 */
final class MemoryQueue implements RunQueue {

    private final Map<RunId, Waiting> waiting = new HashMap<>();
    private final NavigableMap<Long, Run> byNumber = new TreeMap<>();
    private final Map<JobName, NavigableMap<Long, Run>> byJob = new HashMap<>();
    private final OrderedRuns ready = new OrderedRuns();
    private final NavigableMap<Long, Run> resting = new TreeMap<>();
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
        if (isReady) {
            ready.put(run);
        } else {
            resting.put(run.number(), run);
        }
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
        if (known.isReady()) {
            ready.remove(run);
        } else {
            resting.remove(run.number());
        }
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
    public List<Run> front(Instant now, Set<RunId> except, int limit) {
        return others(ready.inOrder(now), except, limit);
    }

    @Override
    public List<Run> resting(Set<RunId> except, int limit) {
        return others(resting.values().iterator(), except, limit);
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
        return runs == null ? List.of() : others(runs.values().iterator(), except, Integer.MAX_VALUE);
    }

    @Override
    public int ahead(Run run, Instant now, Set<RunId> except) {
        Comparator<Run> order = QueueRules.order(now);
        boolean isReady = QueueRules.isReady(run, now);
        int ahead = isReady
                ? ready.ahead(run, now)
                : waiting.size()
                        - resting.size()
                        + (int) resting.values().stream()
                                .filter(other -> order.compare(other, run) < 0)
                                .count();
        long left = except.stream()
                .map(waiting::get)
                .filter(other -> other != null
                        && (isReady == other.isReady() ? order.compare(other.run(), run) < 0 : other.isReady()))
                .count();
        return ahead - (int) left;
    }

    @Override
    public @Nullable Instant nextDue(Set<RunId> except) {
        return dues.stream()
                .filter(due -> !except.contains(due.run()))
                .map(Due::at)
                .findFirst()
                .orElse(null);
    }

    private static List<Run> others(Iterator<Run> runs, Set<RunId> except, int limit) {
        List<Run> found = new ArrayList<>();
        while (found.size() < limit && runs.hasNext()) {
            Run run = runs.next();
            if (!except.contains(run.id())) {
                found.add(run);
            }
        }
        return found;
    }

    /**
     * Runs in the order of {@link QueueRules#order}, at any time. Within one priority the order is always that of the
     * numbers, because a run that was submitted earlier has aged at least as much. So the first of all is the first of one
     * of the few priorities that ageing can reach. Not thread-safe.
     */
    static final class OrderedRuns {

        private final NavigableMap<Integer, NavigableMap<Long, Run>> priorities =
                new TreeMap<>(Comparator.reverseOrder());

        /** The next run of a sequence, and what follows it. */
        private record Head(Run run, Iterator<Run> rest) {}

        void put(Run run) {
            priorities
                    .computeIfAbsent(run.spec().priority(), priority -> new TreeMap<>())
                    .put(run.number(), run);
        }

        void remove(Run run) {
            int priority = run.spec().priority();
            NavigableMap<Long, Run> line = priorities.get(priority);
            if (line != null && line.remove(run.number()) != null && line.isEmpty()) {
                priorities.remove(priority);
            }
        }

        boolean isEmpty() {
            return priorities.isEmpty();
        }

        /** All runs in their order. The cost of finding the next one does not depend on their number. */
        Iterator<Run> inOrder(Instant now) {
            return new InOrder(now);
        }

        /** The runs of several sequences, each of them in the order of {@link QueueRules#order}, as one. */
        static Iterator<Run> merged(Iterable<Iterator<Run>> sequences, Instant now) {
            PriorityQueue<Head> heads = heads(now);
            sequences.forEach(runs -> add(heads, runs));
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return !heads.isEmpty();
                }

                @Override
                public Run next() {
                    return take(heads);
                }
            };
        }

        /** How many of them come before {@code run}. Reads only priorities of which some do and some do not. */
        int ahead(Run run, Instant now) {
            Comparator<Run> order = QueueRules.order(now);
            int effective = QueueRules.effectivePriority(run, now);
            int ahead = 0;
            for (Map.Entry<Integer, NavigableMap<Long, Run>> entry : priorities.entrySet()) {
                if (entry.getKey() + QueueRules.MOST_AGEING < effective) {
                    break;
                }
                NavigableMap<Long, Run> line = entry.getValue();
                ahead += order.compare(line.lastEntry().getValue(), run) < 0
                        ? line.size()
                        : (int) line.values().stream()
                                .takeWhile(other -> order.compare(other, run) < 0)
                                .count();
            }
            return ahead;
        }

        private static PriorityQueue<Head> heads(Instant now) {
            return new PriorityQueue<>(Comparator.comparing(Head::run, QueueRules.order(now)));
        }

        private static void add(PriorityQueue<Head> heads, Iterator<Run> runs) {
            if (runs.hasNext()) {
                heads.add(new Head(runs.next(), runs));
            }
        }

        private static Run take(PriorityQueue<Head> heads) {
            if (heads.isEmpty()) {
                throw new NoSuchElementException();
            }
            Head first = heads.remove();
            add(heads, first.rest());
            return first.run();
        }

        /** Reads a lower priority only when its first run may come next. */
        private final class InOrder implements Iterator<Run> {

            private final Instant now;
            private final PriorityQueue<Head> heads;
            private final Iterator<Map.Entry<Integer, NavigableMap<Long, Run>>> further =
                    priorities.entrySet().iterator();
            private Map.@Nullable Entry<Integer, NavigableMap<Long, Run>> lower;

            InOrder(Instant now) {
                this.now = now;
                heads = heads(now);
                lower = further.hasNext() ? further.next() : null;
            }

            @Override
            public boolean hasNext() {
                return lower != null || !heads.isEmpty();
            }

            @Override
            public Run next() {
                while (lower != null && mayComeNext(lower.getKey())) {
                    add(heads, lower.getValue().values().iterator());
                    lower = further.hasNext() ? further.next() : null;
                }
                return take(heads);
            }

            private boolean mayComeNext(int priority) {
                Head first = heads.peek();
                return first == null
                        || priority + QueueRules.MOST_AGEING >= QueueRules.effectivePriority(first.run(), now);
            }
        }
    }
}
