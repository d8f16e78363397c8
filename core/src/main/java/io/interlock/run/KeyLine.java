package io.interlock.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A part of the queue of one key, from the front, and what start times are estimated from.
 *
 * @param view the activity of the key, or {@code null} if there is none
 * @param before how many runs stand before the first of these
 * @param runs runs in the order in which they would start now
 * @param next where the next page begins, or {@code null} if this is the last
 * @param past how long the last successful runs of the key took
 */
public record KeyLine(
        @Nullable KeyView view, int before, List<Run> runs, LineQuery.@Nullable Place next, List<Duration> past) {

    /** Where the next page begins, if there is one. */
    public Optional<LineQuery.Place> nextPlace() {
        return Optional.ofNullable(next);
    }

    /** What start times are estimated from. */
    public HoldEstimate estimate() {
        return view == null ? HoldEstimate.of(past, null, null) : HoldEstimate.of(past, view.run(), view.observedAt());
    }

    /**
     * About when {@code run} starts. There is no estimate without past runs, under a pause without an end, behind a holder that is no
     * run, and for the first run behind a holder that takes longer than usual: its turn may come at any moment.
     *
     * @param place its place in the queue, from 1
     */
    public Optional<Instant> startOf(Run run, int place) {
        if (view == null || (view.lease() != null && view.run() == null)) {
            return Optional.empty();
        }
        Pause pause = view.pause();
        Instant opens = pause == null ? view.observedAt() : pause.until();
        if (opens == null) {
            return Optional.empty();
        }
        Instant rested = run.status().notBefore();
        return estimate()
                .untilStart(place)
                .filter(wait -> !wait.isZero() || view.run() == null)
                .map(wait -> later(view.observedAt().plus(wait), later(opens, rested)));
    }

    private static Instant later(Instant a, @Nullable Instant b) {
        return b == null || a.isAfter(b) ? a : b;
    }
}
