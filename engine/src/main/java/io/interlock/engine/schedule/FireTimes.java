package io.interlock.engine.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.interlock.InvalidSettingException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The times that a cron expression names in a time zone. Immutable.
 *
 * <p>Where clocks are put back, an expression that names its hours fires at the first of two equal times only; one whose hour
 * field begins with {@code *} fires at both. Where clocks are put forward, an expression that names an hour which does not
 * come that day fires once, at the moment of the change: a nightly job is not left out because of it.
 */
public final class FireTimes {

    private static final String SETTING = "schedule";
    private static final String EXAMPLE = "write minute hour day-of-month month day-of-week, for example"
            + " \"0 3 * * *\" for 03:00 every day, \"*/10 * * * *\" for every ten minutes, or @daily";
    private static final int MAX_LENGTH = 200;
    private static final int HOUR = 1;
    private static final List<String> FIELDS = List.of("minute", "hour", "day of month", "month", "day of week");
    private static final Map<String, String> NICKNAMES = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *");

    // Whether a day ever comes does not depend on where one begins: leap years are never more than eight years
    // apart.
    private static final Instant ANY_TIME = Instant.parse("2025-01-01T00:00:00Z");

    private final String expression;
    private final ZoneId zone;
    private final ExecutionTime times;
    private final boolean namesHours;

    FireTimes(String expression, ZoneId zone, Cron cron, boolean namesHours) {
        this.expression = expression;
        this.zone = zone;
        this.namesHours = namesHours;
        times = ExecutionTime.forCron(cron);
    }

    /** The times of {@code expression} in UTC. */
    public static FireTimes parse(String expression) {
        return parse(expression, ZoneOffset.UTC);
    }

    /**
     * The times of {@code text} in {@code zone}.
     *
     * @param text minute, hour, day of month, month and day of week, or {@code @hourly}, {@code @daily},
     *     {@code @weekly}, {@code @monthly} or {@code @yearly}
     * @throws io.interlock.InvalidSettingException if it is no such expression; the message says where
     */
    public static FireTimes parse(String text, ZoneId zone) {
        if (text.length() > MAX_LENGTH) {
            throw wrong(
                    text.substring(0, 40) + "…", "has " + text.length() + " characters; the limit is " + MAX_LENGTH);
        }
        String name = text.strip().toLowerCase(Locale.ROOT);
        if (name.startsWith("@") && !NICKNAMES.containsKey(name)) {
            throw wrong(text, "is not one of @hourly, @daily, @weekly, @monthly, @yearly");
        }
        String expression = NICKNAMES.getOrDefault(name, text.strip());
        List<String> fields = Arrays.asList(expression.split("\\s+"));
        if (expression.isEmpty() || fields.size() != FIELDS.size()) {
            int found = expression.isEmpty() ? 0 : fields.size();
            throw wrong(text, "has " + found + (found == 1 ? " field" : " fields") + "; it must have " + FIELDS.size());
        }
        FireTimes times =
                new FireTimes(text, zone, cron(text, fields), !fields.get(HOUR).startsWith("*"));
        if (times.next(ANY_TIME).isEmpty()) {
            throw wrong(text, "names a day that never comes");
        }
        return times;
    }

    /**
     * The time zone of that name.
     *
     * @throws InvalidSettingException if there is none
     */
    public static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException unknown) {
            throw new InvalidSettingException(
                    "schedule-zone", name, "is not a known time zone", "write one such as Europe/Berlin or UTC");
        }
    }

    /** The first time after {@code after}; empty if there is none. */
    public Optional<Instant> next(Instant after) {
        Optional<Instant> regular = regular(after);
        if (!namesHours || regular.isEmpty()) {
            // A day that never comes is in no gap either, and a zone may have changes without end to look through.
            return regular;
        }
        Instant before = regular.get();
        for (ZoneOffsetTransition change = zone.getRules().nextTransition(after);
                change != null && change.getInstant().isBefore(before);
                change = zone.getRules().nextTransition(change.getInstant())) {
            if (change.isGap() && hasTimeIn(change)) {
                return Optional.of(change.getInstant());
            }
        }
        return regular;
    }

    /** The last time after {@code after} and not after {@code until}, or {@code null} if there is none. */
    @Nullable
    Instant last(Instant after, Instant until) {
        Instant last = null;
        for (Optional<Instant> next = next(after);
                next.isPresent() && !next.get().isAfter(until);
                next = next(next.get())) {
            last = next.get();
        }
        return last;
    }

    private Optional<Instant> regular(Instant after) {
        Optional<ZonedDateTime> next = times.nextExecution(after.atZone(zone));
        while (namesHours && next.isPresent() && isRepeated(next.get())) {
            next = times.nextExecution(next.get());
        }
        return next.map(ZonedDateTime::toInstant);
    }

    private static boolean isRepeated(ZonedDateTime time) {
        return !time.withEarlierOffsetAtOverlap().getOffset().equals(time.getOffset());
    }

    /** Whether it names a time that does not come because clocks are put forward over it. */
    private boolean hasTimeIn(ZoneOffsetTransition gap) {
        LocalDateTime before = gap.getDateTimeBefore().minus(Duration.ofSeconds(1));
        return times.nextExecution(before.atZone(ZoneOffset.UTC))
                .map(named -> named.toLocalDateTime().isBefore(gap.getDateTimeAfter()))
                .orElse(false);
    }

    public String expression() {
        return expression;
    }

    public ZoneId zone() {
        return zone;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FireTimes that && expression.equals(that.expression) && zone.equals(that.zone);
    }

    @Override
    public int hashCode() {
        return Objects.hash(expression, zone);
    }

    @Override
    public String toString() {
        return expression + " (" + zone + ")";
    }

    private static Cron cron(String text, List<String> fields) {
        try {
            return parser().parse(String.join(" ", fields)).validate();
        } catch (IllegalArgumentException broken) {
            throw wrong(text, where(text, fields, broken));
        }
    }

    // The library does not tell which field is broken: it is the first one that is so also on its own.
    private static String where(String text, List<String> fields, IllegalArgumentException broken) {
        int at = 0;
        for (int field = 0; field < fields.size(); field++) {
            at = text.indexOf(fields.get(field), at);
            List<String> alone = new ArrayList<>(Collections.nCopies(FIELDS.size(), "*"));
            alone.set(field, fields.get(field));
            try {
                parser().parse(String.join(" ", alone)).validate();
            } catch (IllegalArgumentException culprit) {
                return "is wrong at character " + (at + 1) + ", field " + (field + 1) + " (" + FIELDS.get(field) + ") '"
                        + fields.get(field) + "': " + reason(culprit);
            }
            at += fields.get(field).length();
        }
        return "is wrong: " + reason(broken);
    }

    private static String reason(IllegalArgumentException culprit) {
        String said = String.valueOf(culprit.getMessage()).replace("Failed to parse cron expression. ", "");
        return said.isEmpty() ? "not understood" : said;
    }

    // Parsers keep state while they parse: one for each expression.
    private static CronParser parser() {
        return new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
    }

    private static InvalidSettingException wrong(String text, String broken) {
        return new InvalidSettingException(SETTING, text, broken, EXAMPLE);
    }
}
