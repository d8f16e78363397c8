package io.interlock.service;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/** A time in the past as people write it: 2026-11-15T02:00:00Z, or 24h for a day ago. */
public final class PastTime {

    private PastTime() {}

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it is none; its message says what it may be
     */
    public static Instant parse(String text, Instant now) {
        try {
            return !text.isEmpty() && Character.isDigit(text.charAt(0)) && text.contains("-")
                    ? OffsetDateTime.parse(text).toInstant()
                    : now.minus(DurationText.parse("time", text));
        } catch (InvalidSettingException | DateTimeException | ArithmeticException invalid) {
            throw new IllegalArgumentException(
                    "'" + text + "' is neither a time like 2026-11-15T02:00:00Z nor a duration like 24h", invalid);
        }
    }
}
