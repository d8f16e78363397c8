package io.interlock.store.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Moments and lengths of time of any size, as PostgreSQL can compare and subtract them. */
final class Moments {

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Moments() {}

    /** Sets a parameter; what is too early or too late to be kept is for ever. */
    static void set(PreparedStatement statement, int parameter, @Nullable Instant moment) throws SQLException {
        statement.setObject(
                parameter, moment == null ? null : timestamp(moment), java.sql.Types.TIMESTAMP_WITH_TIMEZONE);
    }

    private static OffsetDateTime timestamp(Instant moment) {
        if (moment.isBefore(EARLIEST)) {
            return OffsetDateTime.MIN;
        }
        return moment.isAfter(LATEST) ? OffsetDateTime.MAX : OffsetDateTime.ofInstant(moment, ZoneOffset.UTC);
    }

    /** The microseconds of {@code time}, or of a century if it is longer: nothing here is older. */
    static long micros(Duration time) {
        return AnswerRow.micros(time.compareTo(LONGEST) > 0 ? LONGEST : time);
    }
}
