package io.interlock.run;

import io.interlock.RunState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a run stands.
 *
 * @param state its state
 * @param since since when it is in that state
 * @param attempts how many attempts have begun
 * @param notBefore when its next attempt may begin at the earliest, or {@code null} if at once
 * @param waiter whoever waits to do the work itself, or {@code null} if a worker does it
 * @param turn the attempt under way, or the last one, or {@code null} before the first
 * @param stages the stages of that attempt, the current one last; of many, the last {@value #MOST_STAGES}
 * @param progress how far that attempt says it is
 * @param stop somebody's wish that it stops, or {@code null}
 * @param result what it brought forth, or {@code null}
 * @param error why it ended otherwise, or why its last attempt failed, or {@code null}
 */
public record RunStatus(
        RunState state,
        Instant since,
        int attempts,
        @Nullable Instant notBefore,
        @Nullable Waiter waiter,
        @Nullable Turn turn,
        List<Stage> stages,
        Progress progress,
        @Nullable StopRequest stop,
        @Nullable String result,
        @Nullable RunError error) {

    /** How many stages of an attempt are kept. */
    public static final int MOST_STAGES = 100;

    /** Copies the stages. */
    public RunStatus {
        stages = List.copyOf(stages);
    }

    /** Of a run that has just come in. */
    public static RunStatus queued(Instant now, @Nullable Waiter waiter) {
        return new RunStatus(RunState.QUEUED, now, 0, null, waiter, null, List.of(), Progress.NONE, null, null, null);
    }

    /** This, in another state from {@code now} on. */
    public RunStatus moved(RunState to, Instant now) {
        return new RunStatus(to, now, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    /** This, with another attempt begun. */
    public RunStatus started(Turn turn) {
        return new RunStatus(
                state, since, turn.attempt(), null, waiter, turn, List.of(), Progress.NONE, stop, null, null);
    }

    /** This, resting until {@code notBefore} after a failed attempt. */
    public RunStatus resting(Instant notBefore, RunError error) {
        return new RunStatus(state, since, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    /** This, with the end's facts. */
    public RunStatus ended(@Nullable String result, @Nullable RunError error) {
        return new RunStatus(state, since, attempts, null, waiter, turn, stages, progress, stop, result, error);
    }

    /** This, with word from its waiter. */
    public RunStatus waiting(Waiter waiter) {
        return new RunStatus(state, since, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    /** This, asked to stop; the first wish counts. */
    public RunStatus stopping(StopRequest stop) {
        return this.stop != null
                ? this
                : new RunStatus(state, since, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    /** This, as the work reports. */
    public RunStatus reporting(@Nullable Stage stage, @Nullable Progress progress) {
        List<Stage> now = new ArrayList<>(stages);
        if (stage != null && (now.isEmpty() || !now.get(now.size() - 1).name().equals(stage.name()))) {
            now.add(stage);
            now.subList(0, Math.max(0, now.size() - MOST_STAGES)).clear();
        }
        return new RunStatus(
                state,
                since,
                attempts,
                notBefore,
                waiter,
                turn,
                now,
                progress == null ? this.progress : progress,
                stop,
                result,
                error);
    }

    /** The attempt under way, or the last one. */
    public Optional<Turn> lastTurn() {
        return Optional.ofNullable(turn);
    }

    /** The stage the attempt under way, or the last one, is at, if it says so. */
    public Optional<Stage> currentStage() {
        return stages.isEmpty() ? Optional.empty() : Optional.of(stages.get(stages.size() - 1));
    }

    /** Somebody's wish that it stops. */
    public Optional<StopRequest> stopRequest() {
        return Optional.ofNullable(stop);
    }

    /** Whether its next attempt may begin at {@code now}. */
    public boolean mayBegin(Instant now) {
        return notBefore == null || !notBefore.isAfter(now);
    }
}
