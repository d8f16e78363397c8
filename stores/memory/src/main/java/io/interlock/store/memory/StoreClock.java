package io.interlock.store.memory;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import java.time.Instant;

/**
 * The store's time. It starts at the wall clock and then goes by the ticker alone, so setting the machine's clock neither
 * shortens nor extends a lease.
 */
final class StoreClock {

    private final Ticker ticker;
    private final Instant start;
    private final long began;

    StoreClock(Environment environment) {
        ticker = environment.ticker();
        start = environment.clock().instant();
        began = ticker.nanos();
    }

    Instant now() {
        return start.plusNanos(ticker.nanos() - began);
    }
}
