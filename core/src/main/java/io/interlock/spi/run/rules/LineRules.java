package io.interlock.spi.run.rules;

import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.Run;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a queue in the order of {@link QueueRules#readyFirst}, at a cost that depends on the page and not on the queue. Runs of
 * one rank stand in the order of their numbers. The rank of a ready run is its priority, negated; that of another is {@value
 * #RESTING_BASE} more.
 */
public final class LineRules {

    /** What is added to the rank of a run that is not ready. */
    public static final int RESTING_BASE = 20_000;

    /** No ready run has this rank or a higher one, and every other run has. */
    public static final int RESTING = 10_000;

    private LineRules() {}

    /**
     * The queue of one key by ranks.
     *
     * @param <X> how the store fails
     */
    public interface Ranks<X extends Exception> {

        /** The ranks that have runs, in ascending order. */
        List<Integer> all() throws X;

        /** Up to {@code limit} runs of {@code rank} with a number above {@code after}, in the order of their numbers. */
        List<Run> of(int rank, long after, int limit) throws X;
    }

    /**
     * One page.
     *
     * @param runs its runs, in their order
     * @param next where the next page begins, or {@code null} if there is none
     */
    public record Page(List<Run> runs, LineQuery.@Nullable Place next) {}

    /** The page that {@code query} asks for. */
    public static <X extends Exception> Page page(LineQuery query, Instant now, Ranks<X> queue) throws X {
        List<Integer> ranks = queue.all();
        int wanted = query.limit() + 1;
        Map<Run, Integer> found = new HashMap<>();
        List<Run> runs = new ArrayList<>();
        for (boolean ready : new boolean[] {true, false}) {
            List<Run> half = half(query, ranks, ready, wanted - runs.size(), queue, found);
            half.sort(QueueRules.order(now));
            half.stream().limit(wanted - runs.size()).forEach(runs::add);
        }
        if (runs.size() < wanted) {
            return new Page(List.copyOf(runs), null);
        }
        List<Run> page = List.copyOf(runs.subList(0, query.limit()));
        SortedMap<Integer, Long> reached = new TreeMap<>(query.after().reached());
        page.forEach(run -> reached.merge(found.getOrDefault(run, 0), run.number(), Math::max));
        return new Page(page, new LineQuery.Place(query.after().count() + page.size(), reached));
    }

    private static <X extends Exception> List<Run> half(
            LineQuery query, List<Integer> ranks, boolean ready, int wanted, Ranks<X> queue, Map<Run, Integer> found)
            throws X {
        List<Run> half = new ArrayList<>();
        // Waiting raises a priority by ten at most: runs further behind than that cannot overtake.
        int last = Integer.MAX_VALUE;
        for (int rank : ranks) {
            if (rank < RESTING == ready && wanted > 0 && rank <= last) {
                for (Run run : queue.of(rank, query.after().reached(rank), wanted)) {
                    half.add(run);
                    found.put(run, rank);
                }
                if (half.size() >= wanted && last == Integer.MAX_VALUE) {
                    last = rank + QueueRules.MOST_AGEING;
                }
            }
        }
        return half;
    }
}
