package io.interlock.store.redis;

import io.interlock.time.Ticker;
import java.time.Duration;

/**
 * The approximate time of Redis: that of the last reply, plus the time since. It is used only to mark when a request
 * becomes useless.
 *
 * <p>Thread-safe.
 */
final class ServerClock {

    private final Ticker ticker;
    private volatile Sighting last = new Sighting(0, 0);

    private record Sighting(long nanos, long serverMicros) {}

    ServerClock(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The deadline of an operation that begins now. */
    CallDeadline patience(Duration timeout) {
        return new CallDeadline(ticker, timeout);
    }

    /** Updates the time from a reply. */
    void saw(ScriptReply reply) {
        last = new Sighting(ticker.nanos(), Micros.of(reply.now()));
    }

    /** When a caller with this much time left, in nanoseconds, gives up, by Redis's clock. */
    long microsIn(long nanosLeft) {
        Sighting seen = last;
        return seen.serverMicros() + (ticker.nanos() - seen.nanos() + nanosLeft) / 1_000;
    }
}
