package io.interlock.engine;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.time.Duration;

/**
 * Between which limits the max runtime of a kind of jobs must be, so that a slip of the pen is found out at the start.
 *
 * @param most the longest that makes sense
 */
public record RuntimeRange(Duration least, Duration most) {

    /** For jobs that take from a minute to a day. */
    public static final RuntimeRange MINUTE_TO_DAY = new RuntimeRange(Duration.ofSeconds(60), Duration.ofDays(1));

    public RuntimeRange {
        if (least.compareTo(most) > 0) {
            throw new InvalidSettingException(
                    "range of max-runtime",
                    DurationText.format(least) + " to " + DurationText.format(most),
                    "has its ends the wrong way round",
                    "name the shorter one first");
        }
    }

    /**
     * {@code time}, if it is within the limits.
     *
     * @throws InvalidSettingException if it is not
     */
    public Duration require(Duration time) {
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw new InvalidSettingException(
                    "max-runtime",
                    DurationText.format(time),
                    "must be from " + DurationText.format(least) + " (" + least.toSeconds() + " s) to "
                            + DurationText.format(most) + " (" + most.toSeconds() + " s)",
                    "choose a time in between");
        }
        return time;
    }
}
