package io.interlock.store.redis;

import io.interlock.time.Ticker;
import java.time.Duration;

/**
 * What Redis's clock shows, roughly: what it showed in the last reply, plus the time since. It decides nothing but until
 * when a request is worth answering.
 *
 * <p>Safe for use by many threads.
 */
final class ServerClock {

    private final Ticker ticker;
    private volatile Sighting last = new Sighting(0, 0);

    private record Sighting(long nanos, long serverMicros) {}

    ServerClock(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The time an operation has that begins now. */
    CallDeadline patience(Duration timeout) {
        return new CallDeadline(ticker, timeout);
    }

    /** Learns the time from a reply. */
    void saw(ScriptReply reply) {
        last = new Sighting(ticker.nanos(), Micros.of(reply.now()));
    }

    /** When, by Redis's clock, a caller gives up that has so much time left, in nanoseconds. */
    long microsIn(long nanosLeft) {
        Sighting seen = last;
        return seen.serverMicros() + (ticker.nanos() - seen.nanos() + nanosLeft) / 1_000;
    }
}
