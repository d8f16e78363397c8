package io.interlock.engine.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.time.ExecutionTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
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
     * The times of {@code expression} in {@code zone}.
     *
     * @param expression minute, hour, day of month, month and day of week, or {@code @hourly}, {@code @daily},
     *     {@code @weekly}, {@code @monthly} or {@code @yearly}
     * @throws io.interlock.InvalidSettingException if it is no such expression; the message says where
     */
    public static FireTimes parse(String expression, ZoneId zone) {
        return CronText.parse(expression, zone);
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

    /** The expression as it was given. */
    public String expression() {
        return expression;
    }

    /** The zone its times are in. */
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
}
