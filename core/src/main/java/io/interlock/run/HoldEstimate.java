package io.interlock.run;

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
