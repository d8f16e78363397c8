package io.interlock.run;

import io.interlock.DurationText;
import io.interlock.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a run waits in line, as facts. {@link #sentence()} says the same for people.
 *
 * @param run who waits
 * @param position its place, from 1
 * @param obstacle what stands in the way, or {@code null} if only its own rest between two attempts does
 * @param holder the run that has the key, or {@code null} if it is no run that has it
 * @param alive whether the holder's lease is live
 * @param expected how long it may take, judged by past runs of the key, or {@code null} if there are none
 * @param observedAt the store's time
 */
public record Wait(
        Run run,
        int position,
        @Nullable Refusal obstacle,
        @Nullable Run holder,
        boolean alive,
        @Nullable Duration expected,
        Instant observedAt) {

    /** What stands in the way, if it is not only its own rest. */
    public Optional<Refusal> because() {
        return Optional.ofNullable(obstacle);
    }

    /** How long it may take, if past runs tell; they do not when {@link #isLongerThanUsual() the holder outlives them}. */
    public Optional<Duration> expectedWait() {
        return isLongerThanUsual() ? Optional.empty() : Optional.ofNullable(expected);
    }

    /** Whether it would be this run's turn by now, judged by past runs, but the holder takes longer than those did. */
    public boolean isLongerThanUsual() {
        return holder != null && expected != null && expected.isZero();
    }

    /** The facts in one sentence. */
    public String sentence() {
        StringBuilder text = new StringBuilder("run " + run.id() + " of job " + run.job() + " is number " + position
                + " in line for " + run.key() + ": " + reason());
        expectedWait()
                .ifPresent(time -> text.append("; judged by past runs its turn comes in about ")
                        .append(DurationText.format(time)));
        if (isLongerThanUsual()) {
            text.append("; that is longer than past runs took, so nobody can say when its turn comes");
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
                ? "nothing stands in its way, its turn comes with the next look"
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
                + (alive ? ", and is alive" : ", and is not heard of any more");
    }
}
