package io.interlock.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times in the unit of the scripts: whole microseconds. */
final class Micros {

    private Micros() {}

    static long of(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1_000);
    }

    static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    static long of(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
