package io.interlock;

/**
 * The number that only rises: proof of turn.
 *
 * <p>Every grant of a key has a token greater than all tokens of that key before it, also across release, deletion,
 * restart and loss of the store's data. A resource that refuses tokens smaller than the greatest it has met (reads
 * included) loses no update, whoever wakes up late.
 *
 * @param value from 1 to 2<sup>53</sup> − 1, so that it survives a trip through JSON
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

    /** The greatest token. */
    public static final long MAX_VALUE = (1L << 53) - 1;

    /** Checks the range. */
    public FencingToken {
        if (value < 1 || value > MAX_VALUE) {
            throw new InvalidSettingException(
                    "token", value, "must be from 1 to " + MAX_VALUE, "use the token a grant came with");
        }
    }

    /** Whether this token was given out later than {@code other}; both must belong to the same key. */
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
}
