package io.interlock;

import org.jspecify.annotations.Nullable;

/**
 * A number that only increases; it proves which holder is the latest.
 *
 * <p>Every grant of a key has a token greater than all earlier tokens of that key, also across release, deletion,
 * restart and loss of the store's data. A resource that rejects tokens smaller than the greatest it has seen (reads
 * included) loses no update, even if an old holder wakes up late.
 *
 * @param value from 1 to 2<sup>53</sup> − 1, which JSON numbers represent exactly
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

    /** The greatest token. */
    public static final long MAX_VALUE = (1L << 53) - 1;

    public FencingToken {
        if (value < 1 || value > MAX_VALUE) {
            throw new InvalidSettingException(
                    "token", value, "must be from 1 to " + MAX_VALUE, "use the token of a grant");
        }
    }

    /** Whether this token was granted later than {@code other}; both must belong to the same key. */
    public boolean isAfter(FencingToken other) {
        return value > other.value;
    }

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }

    // Written out: what a record makes by itself is linked at its first use, which costs each start of the command line
    // milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FencingToken that && value == that.value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value);
    }
}
