package io.interlock.server.json;

import io.interlock.TimeText;
import java.time.Duration;
import java.time.Instant;

/** Times and durations as the API writes them. */
public final class JsonTime {

    private JsonTime() {}

    /** RFC 3339 in UTC, always with milliseconds. */
    public static String of(Instant time) {
        return TimeText.format(time);
    }

    /** ISO-8601, to the millisecond. */
    public static String of(Duration duration) {
        return Duration.ofMillis(duration.toMillis()).toString();
    }
}
