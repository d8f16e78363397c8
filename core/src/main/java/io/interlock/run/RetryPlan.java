package io.interlock.run;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.time.Duration;

/**
 * The attempts of a run and the delays between them.
 *
 * @param attempts the maximum number of attempts, 1 to 100; 1 means no retry
 * @param backoff the delay after the first attempt
 * @param multiplier the factor by which each further delay grows, at least 1
 * @param maxBackoff the longest delay
 */
public record RetryPlan(int attempts, Duration backoff, double multiplier, Duration maxBackoff) {

    /** One attempt. */
    public static final RetryPlan NONE = new RetryPlan(1, Duration.ZERO, 1, Duration.ZERO);

    private static final int MAX_ATTEMPTS = 100;

    /** Checks the numbers. A longer time than {@link RunLimits#FOR_EVER} means unlimited. */
    public RetryPlan {
        backoff = RunLimits.capped(backoff);
        maxBackoff = RunLimits.capped(maxBackoff);
        if (attempts < 1 || attempts > MAX_ATTEMPTS) {
            throw new InvalidSettingException(
                    "retry.attempts", attempts, "must be from 1 to " + MAX_ATTEMPTS, "1 means no retry");
        }
        if (!(multiplier >= 1) || multiplier > 100) {
            throw new InvalidSettingException(
                    "retry.multiplier", multiplier, "must be from 1 to 100", "2 doubles each delay");
        }
        if (backoff.isNegative() || maxBackoff.compareTo(backoff) < 0) {
            throw new InvalidSettingException(
                    "retry.backoff",
                    DurationText.format(backoff),
                    "must be from 0s to max-backoff " + DurationText.format(maxBackoff),
                    "lower backoff or raise max-backoff");
        }
    }

    /** Whether there is another attempt after number {@code attempt}. */
    public boolean allowsAnotherAfter(int attempt) {
        return attempt < attempts;
    }

    /**
     * The delay after attempt number {@code attempt}.
     *
     * @param chance a random number from 0 to 1 that spreads delays over the upper half, so that runs that failed
     * together do not retry together
     */
    public Duration restAfter(int attempt, double chance) {
        double full = Math.min((double) maxBackoff.toMillis(), backoff.toMillis() * Math.pow(multiplier, attempt - 1));
        return Duration.ofMillis(Math.round(full / 2 + full / 2 * chance));
    }
}
