package io.interlock.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Times as the tables keep them: whole microseconds, moments counted from 1970. */
public final class Micros {

    // Longer than anything lasts, and short enough to add to. A greater number means "for ever".
    private static final Duration FOR_EVER = Duration.ofDays(36_500_000);

    private Micros() {}

    /** A duration, cut to whole microseconds. */
    public static long of(Duration duration) {
        return TimeUnit.MICROSECONDS.convert(duration.compareTo(FOR_EVER) < 0 ? duration : FOR_EVER);
    }

    /** A moment, cut to whole microseconds. */
    public static long of(Instant moment) {
        return of(Duration.between(Instant.EPOCH, moment));
    }

    /** The first moment a table can keep that is not before {@code moment}. */
    static long ceiling(Instant moment) {
        long floor = of(moment);
        return moment(floor).isBefore(moment) ? floor + 1 : floor;
    }

    /** The moment that a table keeps as {@code micros}. */
    public static Instant moment(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** The moment that a column of {@code row} keeps, or {@code null} if it is empty. */
    static @Nullable Instant read(ResultSet row, int column) throws SQLException {
        Long micros = KeyRow.number(row, column);
        return micros == null ? null : moment(micros);
    }

    /** The duration that a table keeps as {@code micros}. */
    public static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
