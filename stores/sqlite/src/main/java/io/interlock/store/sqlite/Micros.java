package io.interlock.store.sqlite;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times as the tables keep them: whole microseconds, moments counted from 1970. */
final class Micros {

    private Micros() {}

    static long of(Duration duration) {
        return duration.toNanos() / 1000;
    }

    static long of(Instant moment) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, moment);
    }

    /** The first moment a table can keep that is not before {@code moment}. */
    static long ceiling(Instant moment) {
        long floor = of(moment);
        return moment(floor).isBefore(moment) ? floor + 1 : floor;
    }

    static Instant moment(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
