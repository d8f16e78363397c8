package io.interlock.run;

import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The status of a run.
 *
 * @param since since when it is in that state
 * @param attempts how many attempts have begun
 * @param notBefore the earliest start of its next attempt, or {@code null} if at once
 * @param waiter the waiting caller that will execute it, or {@code null} if a worker does
 * @param turn the current or last attempt, or {@code null} before the first
 * @param stages the stages of that attempt, the current one last; of many, the last {@value #MOST_STAGES}
 * @param progress the progress that attempt reports
 * @param stop the stop request, or {@code null}
 * @param result its result, or {@code null}
 * @param error why it did not succeed, or why its last attempt failed, or {@code null}
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

    public RunStatus {
        stages = List.copyOf(stages);
    }

    /** The status of a new run. */
    public static RunStatus queued(Instant now, @Nullable Waiter waiter) {
        return new RunStatus(RunState.QUEUED, now, 0, null, waiter, null, List.of(), Progress.NONE, null, null, null);
    }

    /** This status with another state since {@code now}. */
    public RunStatus moved(RunState to, Instant now) {
        return new RunStatus(to, now, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    public RunStatus started(Turn turn) {
        return new RunStatus(
                state, since, turn.attempt(), null, waiter, turn, List.of(), Progress.NONE, stop, null, null);
    }

    /** This status with a delay until {@code notBefore} after a failed attempt. */
    public RunStatus resting(Instant notBefore, RunError error) {
        return new RunStatus(state, since, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    /** This status with the outcome. */
    public RunStatus ended(@Nullable String result, @Nullable RunError error) {
        return new RunStatus(state, since, attempts, null, waiter, turn, stages, progress, stop, result, error);
    }

    public RunStatus waiting(Waiter waiter) {
        return new RunStatus(state, since, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    /** This status with a stop request; the first request counts. */
    public RunStatus stopping(StopRequest stop) {
        return this.stop != null
                ? this
                : new RunStatus(state, since, attempts, notBefore, waiter, turn, stages, progress, stop, result, error);
    }

    /** This status with a report of the handler. */
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

    /** The current or last attempt. */
    public Optional<Turn> lastTurn() {
        return Optional.ofNullable(turn);
    }

    /** Whether {@code lease} and {@code token} belong to the current or last attempt. */
    public boolean isProvedBy(LeaseId lease, FencingToken token) {
        return turn != null && turn.isProvedBy(lease, token);
    }

    /** The stage of the current or last attempt, if it reports one. */
    public Optional<Stage> currentStage() {
        return stages.isEmpty() ? Optional.empty() : Optional.of(stages.get(stages.size() - 1));
    }

    public Optional<StopRequest> stopRequest() {
        return Optional.ofNullable(stop);
    }

    /** Whether its next attempt may begin at {@code now}. */
    public boolean mayBegin(Instant now) {
        return notBefore == null || !notBefore.isAfter(now);
    }

    /** A part of the work, named by the handler. */
    public record Stage(String name, Instant since) {

        public Stage {
            RunTexts.require("stage", name, "name the part of the work in one line");
        }
    }

    /**
     * The progress that a run reports. Shown to users, without effect on decisions.
     *
     * @param done how much is done, from 0
     * @param total the total, at least {@code done}, or {@code null} if unknown
     */
    public record Progress(long done, @Nullable Long total) {

        /** Nothing reported yet. */
        public static final Progress NONE = new Progress(0, null);

        public Progress {
            if (done < 0 || (total != null && total < done)) {
                throw new InvalidSettingException(
                        "progress",
                        total == null ? done : done + "/" + total,
                        "must be from 0 to its total",
                        "report done and total");
            }
        }

        @Override
        public String toString() {
            return total == null ? Long.toString(done) : done + "/" + total;
        }
    }

    /**
     * A request to stop a run.
     *
     * @param code the error code of the run: {@link RunError#CANCELLED} or {@link RunError#SUPERSEDED}
     */
    public record StopRequest(String code, String actor, String reason, Instant at) {

        /** The error of a run that stopped because of this. */
        public RunError error() {
            return new RunError(code, "stopped for " + actor + ": " + reason);
        }
    }

    /**
     * A caller that waits for its turn, as of its last request.
     *
     * @param missedOffer whether it was offered the key since, and did not take it
     */
    public record Waiter(Instant seenAt, boolean missedOffer) {

        /** After how long without a request a waiter counts as gone. */
        public static final Duration STALE_AFTER = Duration.ofSeconds(15);

        /** Whether it has sent nothing for too long. */
        public boolean isStale(Instant now) {
            return seenAt.plus(STALE_AFTER).isBefore(now);
        }

        /** This waiter, seen at {@code moment} at the earliest. */
        public Waiter since(Instant moment) {
            return seenAt.isBefore(moment) ? new Waiter(moment, missedOffer) : this;
        }
    }
}
