package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
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

    /**
     * Which runs of the queue of one key to list, from its front.
     *
     * @param after where the page before ended
     * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
     */
    public record LineQuery(LockKey key, Place after, int limit) {

        public LineQuery {
            LeaseQuery.requireLimit(limit, "request the next page with the cursor of this page");
        }

        /** The first runs of the queue of {@code key}. */
        public static LineQuery front(LockKey key, int limit) {
            return new LineQuery(key, Place.FRONT, limit);
        }

        /**
         * A place between two runs of a queue.
         *
         * @param count how many runs were listed before it
         * @param rank the rank of the last of them, see {@link io.interlock.spi.run.rules.LineRules}
         * @param number its number
         */
        public record Place(int count, long rank, long number) {

            /** Before all runs. */
            public static final Place FRONT = new Place(0, Long.MIN_VALUE, 0);

            /**
             * The place with this {@link #toString() text}.
             *
             * @throws IllegalArgumentException if it is none
             */
            public static Place parse(String text) {
                String[] parts = text.split(",", -1);
                if (parts.length != 3) {
                    throw new IllegalArgumentException("no place in a queue: " + text);
                }
                return new Place(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
            }

            @Override
            public String toString() {
                return count + "," + rank + "," + number;
            }
        }
    }

    /**
     * How long runs of a key take, judged by past ones, and how long the current one still will.
     *
     * @param samples how many past runs it is judged by
     * @param usual the median of their runtimes, or {@code null} without any
     * @param left what is left of the current run. Progress is that of its stage: the run needs at least what is left of that, and as a rule what
     * is left of the usual runtime. A run without stages is judged by its progress alone, if it reports any. Zero if there is no current run or if it
     * takes longer than usual; {@code null} if that is unknown
     */
    public record HoldEstimate(
            int samples, @Nullable Duration usual, @Nullable Duration left) {

        /**
         * Estimates from the runtimes of past runs.
         *
         * @param holder the run that has the key, or {@code null}
         * @param now the store's time; needed for a holder only
         */
        public static HoldEstimate of(List<Duration> past, @Nullable Run holder, @Nullable Instant now) {
            Duration usual =
                    past.stream().sorted().skip(past.size() / 2).findFirst().orElse(null);
            Turn turn = holder == null ? null : holder.status().turn();
            if (holder == null || now == null || turn == null || holder.state() != RunState.RUNNING) {
                return new HoldEstimate(past.size(), usual, usual == null ? null : Duration.ZERO);
            }
            Duration ofUsual = usual == null ? null : atLeastZero(usual.minus(Duration.between(turn.startedAt(), now)));
            Optional<Stage> stage = holder.status().currentStage();
            Duration ofPart = left(
                    holder.status().progress(),
                    Duration.between(stage.map(Stage::since).orElse(turn.startedAt()), now));
            boolean partIsAll = stage.isEmpty() && ofPart != null;
            return new HoldEstimate(past.size(), usual, partIsAll ? ofPart : longer(ofUsual, ofPart));
        }

        /** What is left of work of which so much was done in {@code elapsed}; {@code null} if that is unknown. */
        private static @Nullable Duration left(Progress progress, Duration elapsed) {
            Long total = progress.total();
            if (total == null || progress.done() == 0 || elapsed.isNegative()) {
                return null;
            }
            double share = (double) (total - progress.done()) / progress.done();
            return Duration.ofMillis((long) (elapsed.toMillis() * share));
        }

        /** Without a usual runtime, what is left of a stage says nothing of the stages after it. */
        private static @Nullable Duration longer(@Nullable Duration ofUsual, @Nullable Duration ofStage) {
            return ofUsual == null || ofStage == null || ofUsual.compareTo(ofStage) > 0 ? ofUsual : ofStage;
        }

        private static Duration atLeastZero(Duration time) {
            return time.isNegative() ? Duration.ZERO : time;
        }

        /** How long the run at {@code place}, from 1, still waits; empty if that cannot be said. */
        public Optional<Duration> untilStart(int place) {
            if (left == null || (usual == null && place > 1)) {
                return Optional.empty();
            }
            return Optional.of(usual == null ? left : left.plus(usual.multipliedBy(place - 1L)));
        }
    }
}
