package io.interlock.run;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of a run in addition to its lease.
 *
 * @param maxWait how long it waits for its turn or for a worker, or {@code null} if unlimited
 * @param maxRuntime how long an attempt may take, or {@code null} if unlimited
 * @param expiryGrace how long after an expired lease its run stays open, and its key closed
 */
public record RunLimits(
        @Nullable Duration maxWait, @Nullable Duration maxRuntime, Duration expiryGrace) {

    /** Practically unlimited, and short enough to add to a moment. Longer times are reduced to it. */
    public static final Duration FOR_EVER = Duration.ofDays(36_500_000);

    private static final Duration SHORTEST_RUNTIME = Duration.ofSeconds(1);

    /** Unlimited wait and runtime, no grace. */
    public static final RunLimits NONE = new RunLimits(null, null, Duration.ZERO);

    /** Checks the numbers. A longer time than {@link #FOR_EVER} means unlimited. */
    public RunLimits {
        maxWait = maxWait == null ? null : capped(maxWait);
        maxRuntime = maxRuntime == null ? null : capped(maxRuntime);
        expiryGrace = capped(expiryGrace);
        if (maxWait != null && maxWait.isNegative()) {
            throw new InvalidSettingException(
                    "max-wait", DurationText.format(maxWait), "is negative", "use 0s to start at once or not at all");
        }
        if (maxRuntime != null && maxRuntime.compareTo(SHORTEST_RUNTIME) < 0) {
            throw new InvalidSettingException(
                    "max-runtime",
                    DurationText.format(maxRuntime),
                    "is below " + DurationText.format(SHORTEST_RUNTIME),
                    "remove it for no limit");
        }
        if (expiryGrace.isNegative()) {
            throw new InvalidSettingException(
                    "expiry-grace", DurationText.format(expiryGrace), "is negative", "use 0s for no grace");
        }
    }

    /** {@code time}, or {@link #FOR_EVER} if that is shorter. */
    public static Duration capped(Duration time) {
        return time.compareTo(FOR_EVER) < 0 ? time : FOR_EVER;
    }

    /** How long an attempt may take, if that is limited. */
    public Optional<Duration> runtimeLimit() {
        return Optional.ofNullable(maxRuntime);
    }

    /**
     * Limits of waiting and running runs.
     *
     * @param queueCap how many runs may wait for one key, from 1
     * @param tenantMaxRunning how many runs of the tenant may be PENDING or RUNNING, from 1
     */
    public record LineLimits(int queueCap, int tenantMaxRunning) {

        /** No limits. */
        public static final LineLimits NONE = new LineLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);

        public LineLimits {
            require("queue-cap", queueCap);
            require("max-running", tenantMaxRunning);
        }

        private static void require(String setting, int value) {
            if (value < 1) {
                throw new InvalidSettingException(setting, value, "must be at least 1", "remove it for no limit");
            }
        }
    }
}
