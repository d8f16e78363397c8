package io.interlock.spi;

import io.interlock.FencingToken;
import io.interlock.UnsafeStoreException;
import java.time.Instant;

/**
 * The layout of fencing tokens in every store: the store's epoch in the upper 11 bits, and below it the greater of one
 * more than the key's last token and the milliseconds since 2025.
 *
 * <p>So tokens increase by construction while a key's row exists, and by the clock once it is deleted; after a
 * restored backup or a loss of data, the epoch raises them regardless of the clock.
 */
public final class TokenLayout {

    /** Bits below the epoch. */
    public static final int LOW_BITS = 42;

    /** The greatest epoch. */
    public static final int MAX_EPOCH = (1 << 11) - 1;

    /** The moment the milliseconds are counted from, 2025-01-01T00:00:00Z, in milliseconds since 1970. */
    public static final long ORIGIN_MILLIS = 1_735_689_600_000L;

    private static final long LOW_MASK = (1L << LOW_BITS) - 1;

    private TokenLayout() {}

    /**
     * The next token of a key.
     *
     * @param previous the key's last token, or 0
     * @param floor at least as great as every token whose row has been deleted, or 0
     */
    public static FencingToken next(long previous, long floor, int epoch, Instant now) {
        return new FencingToken(Math.max(byClock(epoch, now), Math.max(previous, floor) + 1));
    }

    /** The smallest token that the clock allows at {@code now}; a row with a smaller one may be deleted. */
    public static long byClock(int epoch, Instant now) {
        long millis = Math.max(1, now.toEpochMilli() - ORIGIN_MILLIS);
        return ((long) epoch << LOW_BITS) | (millis & LOW_MASK);
    }

    /**
     * The epoch after {@code epoch}, and after that of the greatest token of {@code store}.
     *
     * @throws UnsafeStoreException if there is none
     */
    public static int epochAfter(String store, int epoch, long greatest) {
        int used = Math.max(epoch, (int) (greatest >> LOW_BITS));
        if (used >= MAX_EPOCH) {
            throw new UnsafeStoreException(
                    store,
                    "has used up its " + MAX_EPOCH + " epochs",
                    "start a new store, for example under another prefix, once every lease of this one is over");
        }
        return used + 1;
    }
}
