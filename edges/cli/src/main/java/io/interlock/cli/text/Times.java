package io.interlock.cli.text;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/** Times and durations as they are shown. */
public final class Times {

    private static final String SECONDS = "yyyy-MM-dd HH:mm:ss";
    private static final Pattern RFC3339 = Pattern.compile("(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d:\\d\\d:\\d\\d)[.0-9]*Z");

    private Times() {}

    /** For tables: to the second, in UTC. */
    public static String second(Instant time) {
        return DateTimeFormatter.ofPattern(SECONDS).format(time.atOffset(ZoneOffset.UTC)) + "Z";
    }

    /** For lines: {@code 14m08s}, {@code 41s}, {@code 3h05m}. */
    public static String span(Duration time) {
        Duration shown = time.isNegative() ? Duration.ZERO : time;
        if (shown.toDays() > 0) {
            return shown.toDays() + "d" + two(shown.toHoursPart()) + "h";
        }
        if (shown.toHours() > 0) {
            return shown.toHours() + "h" + two(shown.toMinutesPart()) + "m";
        }
        return shown.toMinutes() > 0
                ? shown.toMinutes() + "m" + two(shown.toSecondsPart()) + "s"
                : shown.toSeconds() + "s";
    }

    /** For people: {@code 14m08s ago}, or {@code in 3h05m}. */
    public static String ago(Instant time, Instant now) {
        return time.isAfter(now)
                ? "in " + span(Duration.between(now, time))
                : span(Duration.between(time, now)) + " ago";
    }

    /** A sentence of the REST interface, its times to the second as in tables. */
    public static String readable(String sentence) {
        return RFC3339.matcher(sentence).replaceAll("$1 $2Z");
    }

    /** For a clock that runs: {@code 00:41}. */
    public static String clock(Duration time) {
        return (time.toHours() > 0 ? time.toHours() + ":" : "") + two(time.toMinutesPart()) + ":"
                + two(time.toSecondsPart());
    }

    private static String two(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }
}
