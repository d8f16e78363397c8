package io.interlock.run;

import java.time.Duration;
import java.time.Instant;

/**
 * A caller that waits for its turn, as the store last heard of it.
 *
 * @param seenAt when it asked last
 * @param missedOffer whether it was offered the key since, and did not take it
 */
public record Waiter(Instant seenAt, boolean missedOffer) {

    /** After how long without a word a waiter counts as gone. */
    public static final Duration STALE_AFTER = Duration.ofSeconds(15);

    /** Whether it has said nothing for too long. */
    public boolean isStale(Instant now) {
        return seenAt.plus(STALE_AFTER).isBefore(now);
    }

    /** This, as if it had been heard of at {@code moment}, unless it was heard of later. */
    public Waiter since(Instant moment) {
        return seenAt.isBefore(moment) ? new Waiter(moment, missedOffer) : this;
    }
}
