package io.interlock;

import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The name of one grant, made by whoever asks for it.
 *
 * <p>Because the asker makes it, an acquire whose answer was lost can be repeated with the same id: the store answers
 * with the grant it already made. Renewing and releasing need it, so treat it as a secret of the holder.
 */
public record LeaseId(UUID value) {

    /** A fresh id of 128 random bits. */
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
}
