package io.interlock.run;

import io.interlock.DurationText;
import io.interlock.Refusal;
import io.interlock.run.Attempt.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a run waits, as facts. {@link #sentence()} is the same in one sentence.
 *
 * @param position its place, from 1
 * @param obstacle what prevents its start, or {@code null} if it only waits for its next attempt
 * @param holder the run that has the key, or {@code null} if there is none
 * @param alive whether the holder's lease is live
 * @param expected the expected wait, estimated from past runs of the key, or {@code null} if there are none
 */
public record Wait(
        Run run,
        int position,
        @Nullable Refusal obstacle,
        @Nullable Run holder,
        boolean alive,
        @Nullable Duration expected,
        Instant observedAt) {

    /**
     * The expected wait, if past runs allow an estimate; they do not if {@link #isLongerThanUsual() the holder takes
     * longer}.
     */
    public Optional<Duration> expectedWait() {
        return isLongerThanUsual() ? Optional.empty() : Optional.ofNullable(expected);
    }

    /** Whether the holder takes longer than past runs did, so that the estimated wait is already over. */
    public boolean isLongerThanUsual() {
        return holder != null && expected != null && expected.isZero();
    }

    /** The facts in one sentence. */
    public String sentence() {
        StringBuilder text = new StringBuilder("run " + run.id() + " of job " + run.job() + " is number " + position
                + " in line for " + run.key() + ": " + reason());
        expectedWait()
                .ifPresent(time -> text.append("; estimated from past runs its turn comes in about ")
                        .append(DurationText.format(time)));
        if (isLongerThanUsual()) {
            text.append("; that is longer than past runs took, so the wait cannot be estimated");
        }
        return text.toString();
    }

    private String reason() {
        if (holder != null) {
            return holding(holder);
        }
        if (obstacle != null) {
            return obstacle.explanation();
        }
        Instant next = run.status().notBefore();
        return next == null || !next.isAfter(observedAt)
                ? "nothing prevents its start, its turn comes with the next poll"
                : "it rests for " + DurationText.format(Duration.between(observedAt, next)) + " before attempt "
                        + (run.status().attempts() + 1);
    }

    private String holding(Run holder) {
        Instant since = holder.status().lastTurn().map(Turn::startedAt).orElse(observedAt);
        String stage = holder.status().stages().stream()
                .reduce((before, last) -> last)
                .map(last -> " and is at stage " + last.name())
                .orElse("");
        return "run " + holder.id() + " of job " + holder.job() + " has had it for "
                + DurationText.format(Duration.between(since, observedAt)) + stage
                + (alive ? ", and is alive" : ", and is no longer alive");
    }
}
