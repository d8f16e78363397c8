package io.interlock.store.etcd;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A clock that the clients of a store keep together without a server: it begins at the wall clock, runs with the ticker,
 * and is set forward to every later time it {@linkplain #saw sees}. So what happens after a step was read is later than
 * that step. It decides nothing about leases.
 *
 * <p>Thread-safe.
 */
final class SharedClock {

    private final Ticker ticker;
    private Instant base;
    private long baseNanos;

    SharedClock(Environment environment) {
        ticker = environment.ticker();
        base = environment.clock().instant();
        baseNanos = ticker.nanos();
    }

    synchronized Instant now() {
        return base.plus(Duration.ofNanos(ticker.nanos() - baseNanos)).truncatedTo(ChronoUnit.MICROS);
    }

    synchronized void saw(Instant time) {
        if (time.isAfter(now())) {
            base = time;
            baseNanos = ticker.nanos();
        }
    }
}
