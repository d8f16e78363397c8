package io.interlock.service;

import io.interlock.RunState;
import io.interlock.engine.RunEngine;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Runs, the newest first, by what people ask for. What the store has no index for is looked for among a bounded number of runs. */
public final class RunPages {

    /** How many runs are looked at for one page, if few of them match. */
    private static final int MOST_LOOKED_AT = 1_000;

    private static final int CHUNK = 200;

    private final RunEngine engine;

    public RunPages(RunEngine engine) {
        this.engine = engine;
    }

    /**
     * What the store is not asked for.
     *
     * @param states only in one of these; none stands for all
     * @param prefix only of keys with this prefix; empty for all
     * @param holder only those whose last attempt had this holder, or {@code null} for all
     */
    public record Also(
            Set<RunState> states, String prefix, @Nullable String holder) {

        private boolean picks() {
            return !prefix.isEmpty() || holder != null;
        }

        private boolean fits(Run run) {
            return run.key().name().startsWith(prefix)
                    && (holder == null
                            || run.status()
                                    .lastTurn()
                                    .map(turn -> turn.holder().label())
                                    .equals(Optional.of(holder)));
        }
    }

    /** The page of {@code query}, which is descending and has no state. */
    public FilteredPage<Run> page(RunQuery query, Also also) {
        int limit = query.limit();
        // A caller that looks for few among many has many looked at at a time.
        int chunk = also.picks() ? Math.max(limit, CHUNK) : limit;
        return FilteredPage.of(
                last -> runs(query.page(last == null ? query.after() : last.number(), chunk), also.states()),
                also::fits,
                limit,
                MOST_LOOKED_AT);
    }

    /**
     * A page of runs in any of {@code states}. Each state is asked for by itself, because the store finds the runs
     * of one without a look at all others. A run that goes on to its next state meanwhile is in two of the lists, and counts once.
     */
    private FilteredPage.Part<Run> runs(RunQuery query, Set<RunState> states) {
        List<RunQuery> asked = states.isEmpty()
                ? List.of(query)
                : states.stream().map(query::in).toList();
        Map<Long, Run> found = new TreeMap<>(Comparator.reverseOrder());
        boolean more = false;
        for (RunQuery each : asked) {
            RunPage page = engine.list(each);
            page.runs().forEach(run -> found.put(run.number(), run));
            more |= page.more();
        }
        List<Run> first = found.values().stream().limit(query.limit()).toList();
        return new FilteredPage.Part<>(first, more || found.size() > first.size());
    }
}
