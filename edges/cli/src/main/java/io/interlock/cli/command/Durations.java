package io.interlock.cli.command;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.cli.text.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Durations as options. */
public final class Durations {

    private Durations() {}

    /** Reads one that is at least {@code least}. */
    public static Duration parse(String option, String text, Duration least) {
        Duration duration;
        try {
            duration = DurationText.parse(option, text);
        } catch (InvalidSettingException none) {
            throw Failure.usage(
                    option + " '" + text + "' is not a duration", "write it as 500ms, 30s, 5m, 2h, 1d or PT5M");
        }
        if (duration.compareTo(least) < 0) {
            throw Failure.usage(
                    option + " '" + text + "' is below " + DurationText.format(least),
                    "choose a longer one, as in 30s");
        }
        return duration;
    }

    /** Reads one that may be left out. */
    public static @Nullable Duration optional(String option, @Nullable String text) {
        return text == null ? null : parse(option, text, Duration.ofMillis(1));
    }
}
