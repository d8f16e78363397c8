package io.interlock.store.memory;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.time.Instant;

/**
 * The store's time, in nanoseconds since 1970. It starts at the wall clock and then goes by the ticker alone, so
 * setting the machine's clock neither shortens nor extends a lease.
 */
final class StoreClock {

    private static final long SECOND = 1_000_000_000L;

    private final Ticker ticker;
    private final long offset;

    StoreClock(Environment environment) {
        ticker = environment.ticker();
        Instant start = environment.clock().instant();
        offset = start.getEpochSecond() * SECOND + start.getNano() - ticker.nanos();
    }

    long now() {
        return offset + ticker.nanos();
    }

    static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, SECOND), Math.floorMod(nanos, SECOND));
    }

    static long nanos(Instant instant) {
        return instant.getEpochSecond() * SECOND + instant.getNano();
    }

    static long after(long nanos, Duration time) {
        return nanos + time.toNanos();
    }
}
