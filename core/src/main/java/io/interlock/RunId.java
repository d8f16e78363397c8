package io.interlock;

import java.time.InstantSource;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The id of one execution: a UUID of version 7, so that ids sort by their creation time. */
public record RunId(UUID value) {

    /** A new id: 48 bits of time, 74 random bits. */
    public static RunId create(InstantSource clock, RandomGenerator random) {
        long high = (clock.millis() << 16) | 0x7000 | (random.nextLong() & 0x0fff);
        long low = (random.nextLong() >>> 2) | 0x8000_0000_0000_0000L;
        return new RunId(new UUID(high, low));
    }

    /** The id that {@link #toString()} wrote. */
    public static RunId parse(String text) {
        return new RunId(UUID.fromString(text));
    }

    @Override
    public String toString() {
        return value.toString();
    }

    // Written out: what a record makes by itself is linked at its first use, which costs each start of the command line
    // milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunId that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }
}
