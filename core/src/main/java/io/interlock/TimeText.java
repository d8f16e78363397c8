package io.interlock;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Formats times. */
public final class TimeText {

    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private TimeText() {}

    /** RFC 3339 in UTC, always with milliseconds. */
    public static String format(Instant time) {
        return MILLIS.format(time);
    }
}
