package io.interlock;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in readable form: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 1d}, {@code PT5M}. */
public final class DurationText {

    private static final Pattern SHORT = Pattern.compile("(\\d{1,12})\\s*(ms|s|m|h|d)");

    private DurationText() {}

    /**
     * Reads a duration.
     *
     * @param setting the name of the setting, for the error
     * @throws InvalidSettingException if {@code text} is not a duration
     */
    public static Duration parse(String setting, String text) {
        Matcher matcher = SHORT.matcher(text.strip());
        if (matcher.matches()) {
            long amount = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
        }
        try {
            return Duration.parse(text.strip());
        } catch (DateTimeParseException notIso) {
            throw new InvalidSettingException(
                    setting, text, "is not a duration", "write it as 500ms, 30s, 5m, 2h, 1d or PT5M");
        }
    }

    /** Writes the two largest parts of a duration: {@code 1h 5m}, {@code 12s}, {@code 340ms}. */
    public static String format(Duration duration) {
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
            return duration.toMillis() + "ms";
        }
        if (duration.compareTo(Duration.ofMinutes(1)) < 0) {
            return duration.toSeconds() + "s";
        }
        if (duration.compareTo(Duration.ofHours(1)) < 0) {
            return two(duration.toMinutes(), "m", duration.toSecondsPart(), "s");
        }
        if (duration.compareTo(Duration.ofDays(1)) < 0) {
            return two(duration.toHours(), "h", duration.toMinutesPart(), "m");
        }
        return two(duration.toDays(), "d", duration.toHoursPart(), "h");
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return small == 0 ? large + largeUnit : large + largeUnit + " " + small + smallUnit;
    }
}
