package io.interlock.engine;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.time.Duration;

/**
 * How often a submission is made again if another run has the key and the policy would refuse.
 *
 * @param times how often; 0 refuses at once
 * @param delay after how long, give or take a fifth
 */
public record ConflictRetry(int times, Duration delay) {

    /** Refuses at once. */
    public static final ConflictRetry NONE = new ConflictRetry(0, Duration.ZERO);

    public ConflictRetry {
        if (times < 0 || delay.isNegative()) {
            throw new InvalidSettingException(
                    "retry on conflict",
                    times + " × " + DurationText.format(delay),
                    "is negative",
                    "0 times means: ask once");
        }
    }
}
