package io.interlock.store.memory;

import io.interlock.run.Run;
import io.interlock.spi.run.rules.QueueRules;
import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs in the order of {@link QueueRules#order}, at any time. Within one priority the order is always that of the
 * numbers, because a run that was submitted earlier has aged at least as much. So the first of all is the first of one
 * of the few priorities that ageing can reach. Not thread-safe.
 */
final class OrderedRuns {

    private final NavigableMap<Integer, NavigableMap<Long, Run>> priorities = new TreeMap<>(Comparator.reverseOrder());

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
            return first == null || priority + QueueRules.MOST_AGEING >= QueueRules.effectivePriority(first.run(), now);
        }
    }
}
