package io.interlock.engine.schedule;

import io.interlock.InvalidSettingException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.zone.ZoneOffsetTransition;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A time in which nothing may start, once or every week, in a time zone. Immutable.
 *
 * <p>Where clocks are changed, a window is rather longer than shorter: it begins at the first and ends at the last of two
 * equal times, and a beginning that does not come that day is the moment of the change.
 */
public final class MaintenanceWindow {

    private static final String SETTING = "no-start";
    private static final String EXAMPLE =
            "write \"22:00 - 06:00\", \"Mon-Fri 08:00 - 18:00\", \"Fri 18:00 - Mon 06:00\" or"
                    + " \"2026-12-24 12:00 - 2026-12-27 06:00\", each with a time zone such as Europe/Berlin, or without for UTC";
    private static final int MAX_LENGTH = 100;
    private static final int WEEK = DayOfWeek.values().length;
    private static final Duration WHOLE_WEEK = Duration.ofDays(WEEK);
    private static final String TIME = "(\\d{1,2}:\\d{2})";
    private static final String DATE = "(\\d{4}-\\d{2}-\\d{2})[ T]";
    private static final String ZONE = "(?:\\s+(\\S+))?";
    private static final Pattern ONCE = Pattern.compile(DATE + TIME + "\\s*-\\s*" + DATE + TIME + ZONE);
    private static final Pattern WEEKLY = Pattern.compile(
            "(?:(\\p{L}+)(?:\\s*-\\s*(\\p{L}+))?\\s+)?" + TIME + "\\s*-\\s*(?:(\\p{L}+)\\s+)?" + TIME + ZONE);

    private final String text;
    private final ZoneId zone;
    private final LocalTime from;
    private final LocalTime to;
    private final int nights;
    private final Predicate<LocalDate> begins;
    private final @Nullable LocalDate only;

    /**
     * One occurrence.
     *
     * @param end the first moment at which starts are allowed again
     */
    public record Span(Instant start, Instant end) {

        boolean covers(Instant time) {
            return !start.isAfter(time) && end.isAfter(time);
        }
    }

    private MaintenanceWindow(
            String text,
            ZoneId zone,
            LocalTime from,
            LocalTime to,
            int nights,
            Predicate<LocalDate> begins,
            @Nullable LocalDate only) {
        this.text = text;
        this.zone = zone;
        this.from = from;
        this.to = to;
        this.nights = nights;
        this.begins = begins;
        this.only = only;
    }

    /**
     * Reads a window such as {@code Fri 18:00 - Mon 06:00 Europe/Berlin}.
     *
     * @throws InvalidSettingException if it is none; the message says why
     */
    public static MaintenanceWindow parse(String text) {
        String line = text.strip();
        if (line.length() > MAX_LENGTH) {
            throw wrong(
                    line.substring(0, MAX_LENGTH / 2) + "…",
                    "has " + line.length() + " characters; the limit is " + MAX_LENGTH);
        }
        Matcher once = ONCE.matcher(line);
        if (once.matches()) {
            return once(line, once);
        }
        Matcher weekly = WEEKLY.matcher(line);
        if (weekly.matches()) {
            return weekly(line, weekly);
        }
        throw wrong(line, "is no maintenance window");
    }

    private static MaintenanceWindow once(String line, Matcher found) {
        LocalDate first = date(line, found.group(1));
        LocalTime from = time(line, found.group(2));
        LocalDate last = date(line, found.group(3));
        LocalTime to = time(line, found.group(4));
        if (!last.atTime(to).isAfter(first.atTime(from))) {
            throw wrong(line, "ends before it begins");
        }
        int nights = (int) (last.toEpochDay() - first.toEpochDay());
        return new MaintenanceWindow(line, zone(line, found.group(5)), from, to, nights, first::equals, first);
    }

    private static MaintenanceWindow weekly(String line, Matcher found) {
        DayOfWeek firstDay = found.group(1) == null ? DayOfWeek.MONDAY : day(line, found.group(1));
        DayOfWeek lastDay = found.group(1) == null
                ? DayOfWeek.SUNDAY
                : found.group(2) == null ? firstDay : day(line, found.group(2));
        LocalTime from = time(line, found.group(3));
        LocalTime to = time(line, found.group(5));
        int days = Math.floorMod(lastDay.getValue() - firstDay.getValue(), WEEK) + 1;
        int nights = to.isAfter(from) ? 0 : 1;
        if (found.group(4) != null) {
            if (days > 1) {
                throw wrong(line, "begins on several days and names one on which it ends");
            }
            nights = Math.floorMod(day(line, found.group(4)).getValue() - firstDay.getValue(), WEEK);
            nights += nights == 0 && !to.isAfter(from) ? WEEK : 0;
        }
        Duration length = Duration.between(from, to).plusDays(nights);
        if (length.compareTo(WHOLE_WEEK) >= 0 || (days == WEEK && length.equals(Duration.ofDays(1)))) {
            throw wrong(line, "never ends; pause the keys instead");
        }
        Predicate<LocalDate> begins =
                date -> Math.floorMod(date.getDayOfWeek().getValue() - firstDay.getValue(), WEEK) < days;
        return new MaintenanceWindow(line, zone(line, found.group(6)), from, to, nights, begins, null);
    }

    /** The occurrence that covers {@code time}; of several, the one that ends last. */
    public Optional<Span> at(Instant time) {
        return around(time).filter(span -> span.covers(time)).max(Comparator.comparing(Span::end));
    }

    /** The beginning of the first occurrence after {@code time}; empty if there is none. */
    public Optional<Instant> nextStart(Instant time) {
        return around(time)
                .map(Span::start)
                .filter(start -> start.isAfter(time))
                .min(Comparator.naturalOrder());
    }

    private Stream<Span> around(Instant time) {
        LocalDate today = only == null ? time.atZone(zone).toLocalDate() : only;
        // Of a week before, one may still last; a week later the next one has begun.
        return Stream.iterate(today.minusDays(WEEK + 1), date -> date.plusDays(1))
                .limit(2 * WEEK + 3)
                .filter(begins)
                .map(date -> new Span(
                        start(date.atTime(from)), end(date.plusDays(nights).atTime(to))));
    }

    private Instant start(LocalDateTime time) {
        ZoneOffsetTransition change = zone.getRules().getTransition(time);
        return change != null && change.isGap()
                ? change.getInstant()
                : time.atZone(zone).withEarlierOffsetAtOverlap().toInstant();
    }

    private Instant end(LocalDateTime time) {
        return time.atZone(zone).withLaterOffsetAtOverlap().toInstant();
    }

    private static DayOfWeek day(String line, String word) {
        String small = word.toLowerCase(Locale.ROOT);
        List<DayOfWeek> found = Stream.of(DayOfWeek.values())
                .filter(day -> small.length() >= 3
                        && day.name().toLowerCase(Locale.ROOT).startsWith(small))
                .toList();
        if (found.size() != 1) {
            throw wrong(line, "has '" + word + "', which is not one of Mon, Tue, Wed, Thu, Fri, Sat, Sun");
        }
        return found.get(0);
    }

    private static LocalTime time(String line, String text) {
        try {
            return LocalTime.parse(text.length() < 5 ? "0" + text : text);
        } catch (DateTimeParseException broken) {
            throw wrong(line, "has '" + text + "', which is not a time from 00:00 to 23:59");
        }
    }

    private static LocalDate date(String line, String text) {
        try {
            return LocalDate.parse(text);
        } catch (DateTimeParseException broken) {
            throw wrong(line, "has '" + text + "', which is not a day");
        }
    }

    private static ZoneId zone(String line, @Nullable String name) {
        try {
            return name == null ? ZoneOffset.UTC : FireTimes.zone(name);
        } catch (InvalidSettingException unknown) {
            throw wrong(line, "has '" + name + "', which is not a known time zone");
        }
    }

    private static InvalidSettingException wrong(String text, String broken) {
        return new InvalidSettingException(SETTING, text, broken, EXAMPLE);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MaintenanceWindow that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
