package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.run.Resource;
import io.interlock.spi.run.rules.Contents;
import io.interlock.spi.run.rules.Reservation;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code room}: what is kept about a key beside its lease and its runs.
 *
 * @param key whose
 * @param reservation for whom the key is kept, or {@code null}
 * @param resource what the key stands for, or {@code null}
 * @param due when somebody should look at it though nobody asks
 */
record RoomRow(
        LockKey key,
        @Nullable Reservation reservation,
        @Nullable Resource resource,
        Due due) {

    /** What is kept of {@code contents}, or {@code null} if runs have nothing to do with the key. */
    static @Nullable RoomRow of(LockKey key, Contents contents, Due due) {
        return contents.runs().isEmpty() && contents.resource() == null
                ? null
                : new RoomRow(key, contents.reservation(), contents.resource(), due);
    }

    /**
     * Whether {@code next} need not be written in place of this: all that differs is that somebody would look too early. So
     * a beat, which puts off the end of a lease, costs no write here.
     */
    boolean serves(@Nullable RoomRow next, long now) {
        return next != null
                && (equals(next)
                        || (equals(new RoomRow(key, next.reservation, next.resource, due))
                                && due.servesInPlaceOf(next.due, now)));
    }
}
