package io.interlock;

import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The id of one grant, created by the client.
 *
 * <p>Because the client creates it, an acquire whose answer was lost can be repeated with the same id: the store
 * returns the existing grant. Renewing and releasing need it, so treat it as a secret of the holder.
 */
public record LeaseId(UUID value) {

    /** A new id of 128 random bits. */
    public static LeaseId random(RandomGenerator random) {
        return new LeaseId(new UUID(random.nextLong(), random.nextLong()));
    }

    /** The id that {@link #toString()} wrote. */
    public static LeaseId parse(String text) {
        return new LeaseId(UUID.fromString(text));
    }

    @Override
    public String toString() {
        return value.toString();
    }

    // Written out: what a record makes by itself is linked at its first use, which costs each start of the command line
    // milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LeaseId that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }
}
