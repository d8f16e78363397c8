package io.interlock.run;

import io.interlock.RunState;
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
 * @param left what is left of the current run by its progress, or else by the usual runtime; zero if there is no current run or if
 * it takes longer than usual; {@code null} if that is unknown
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
        return new HoldEstimate(
                past.size(), usual, left(holder.status().progress(), Duration.between(turn.startedAt(), now), usual));
    }

    private static @Nullable Duration left(Progress progress, Duration elapsed, @Nullable Duration usual) {
        Long total = progress.total();
        if (total != null && progress.done() > 0 && progress.done() <= total && !elapsed.isNegative()) {
            double share = (double) (total - progress.done()) / progress.done();
            return Duration.ofMillis((long) (elapsed.toMillis() * share));
        }
        if (usual == null) {
            return null;
        }
        Duration left = usual.minus(elapsed);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** How long the run at {@code place}, from 1, still waits; empty if that cannot be said. */
    public Optional<Duration> untilStart(int place) {
        if (left == null || (usual == null && place > 1)) {
            return Optional.empty();
        }
        return Optional.of(usual == null ? left : left.plus(usual.multipliedBy(place - 1L)));
    }
}
