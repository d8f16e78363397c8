package io.interlock.server.json;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Times and durations as the API writes them. */
public final class JsonTime {

    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private JsonTime() {}

    /** RFC 3339 in UTC, always with milliseconds. */
    public static String of(Instant time) {
        return MILLIS.format(time);
    }

    /** ISO-8601, to the millisecond. */
    public static String of(Duration duration) {
        return Duration.ofMillis(duration.toMillis()).toString();
    }
}
