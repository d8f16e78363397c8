package io.interlock.engine.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code Retry-After}: seconds, or a date. */
final class RetryAfter {

    /** However long the other side wants its rest. */
    static final Duration LONGEST = Duration.ofDays(1);

    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

    private RetryAfter() {}

    static Optional<Duration> parse(String value, InstantSource clock) {
        Duration rest;
        if (SECONDS.matcher(value).matches()) {
            rest = Duration.ofSeconds(Long.parseLong(value));
        } else {
            try {
                rest = Duration.between(
                        clock.instant(), Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value)));
            } catch (DateTimeException nonsense) {
                return Optional.empty();
            }
        }
        if (rest.isNegative()) {
            return Optional.of(Duration.ZERO);
        }
        return Optional.of(rest.compareTo(LONGEST) > 0 ? LONGEST : rest);
    }
}
