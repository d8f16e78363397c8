package io.interlock.run;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of a run beside its lease: a dead holder is not a slow holder.
 *
 * @param maxWait how long it waits for its turn, or for a worker, or {@code null} for ever
 * @param maxRuntime how long an attempt may take, or {@code null} for ever
 * @param expiryGrace how long after a lease ran out the verdict on its run is put off, and its key kept closed
 */
public record RunLimits(
        @Nullable Duration maxWait, @Nullable Duration maxRuntime, Duration expiryGrace) {

    /** Longer than anything lasts, and short enough to add to a moment. Whoever says more means for ever. */
    public static final Duration FOR_EVER = Duration.ofDays(36_500_000);

    private static final Duration SHORTEST_RUNTIME = Duration.ofSeconds(1);

    /** Waits for ever, runs for ever, is judged at once. */
    public static final RunLimits NONE = new RunLimits(null, null, Duration.ZERO);

    /** Checks the numbers. What is longer than {@link #FOR_EVER} is for ever. */
    public RunLimits {
        maxWait = maxWait == null ? null : capped(maxWait);
        maxRuntime = maxRuntime == null ? null : capped(maxRuntime);
        expiryGrace = capped(expiryGrace);
        if (maxWait != null && maxWait.isNegative()) {
            throw new InvalidSettingException(
                    "max-wait", DurationText.format(maxWait), "is negative", "0s means: now or never");
        }
        if (maxRuntime != null && maxRuntime.compareTo(SHORTEST_RUNTIME) < 0) {
            throw new InvalidSettingException(
                    "max-runtime",
                    DurationText.format(maxRuntime),
                    "is below " + DurationText.format(SHORTEST_RUNTIME),
                    "leave it out for no limit");
        }
        if (expiryGrace.isNegative()) {
            throw new InvalidSettingException(
                    "expiry-grace", DurationText.format(expiryGrace), "is negative", "0s judges at once");
        }
    }

    /** {@code time}, or {@link #FOR_EVER} if that is shorter. */
    public static Duration capped(Duration time) {
        return time.compareTo(FOR_EVER) < 0 ? time : FOR_EVER;
    }

    /** How long it waits for its turn, if that is limited. */
    public Optional<Duration> waitLimit() {
        return Optional.ofNullable(maxWait);
    }

    /** How long an attempt may take, if that is limited. */
    public Optional<Duration> runtimeLimit() {
        return Optional.ofNullable(maxRuntime);
    }
}
