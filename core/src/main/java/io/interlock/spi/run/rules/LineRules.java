package io.interlock.spi.run.rules;

import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a key as one order, that of {@link QueueRules#readyFirst}: by rank, then by number. The rank of a ready run is its
 * {@linkplain QueueRules#place place}; that of another is {@value #RESTING_BASE} more.
 */
public final class LineRules {

    /** What is added to the rank of a run that is not ready. */
    public static final long RESTING_BASE = 1L << 61;

    /** No ready run has this rank or a higher one, and every other run has. */
    public static final long RESTING = 1L << 60;

    private LineRules() {}

    /** A waiting run and its rank. */
    public record Standing(Run run, long rank) {

        /** Where {@code run} stands at {@code now}. */
        public static Standing of(Run run, Instant now) {
            return new Standing(run, LineRules.rank(run, now));
        }

        /** Whether it stands behind a run with this rank and number. */
        public boolean isBehind(long otherRank, long number) {
            return rank == otherRank ? run.number() > number : rank > otherRank;
        }
    }

    /** The rank of a waiting run. */
    public static long rank(Run run, Instant now) {
        return QueueRules.place(run) + (QueueRules.isReady(run, now) ? 0 : RESTING_BASE);
    }

    /**
     * The page that {@code query} asks for.
     *
     * @param found the next runs in their order, one more than fit in the page if there are so many
     */
    public static KeyLine page(LineQuery query, @Nullable KeyView view, List<Standing> found, List<Duration> past) {
        LineQuery.Place after = query.after();
        List<Standing> page = found.subList(0, Math.min(query.limit(), found.size()));
        LineQuery.Place next = null;
        if (page.size() < found.size()) {
            Standing last = page.get(page.size() - 1);
            next = new LineQuery.Place(
                    after.count() + page.size(), last.rank(), last.run().number());
        }
        return new KeyLine(view, after.count(), page.stream().map(Standing::run).toList(), next, past);
    }
}
