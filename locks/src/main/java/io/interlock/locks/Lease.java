package io.interlock.locks;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseLostException;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import java.time.Duration;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The live right to one key, or to several at once. It is renewed by itself until it is closed or lost.
 *
 * <p>Being lost is final. It is decided by this process's own clock, counted from before the last confirmed request was
 * sent, so the holder is notified before the store could grant the key again. Work that goes on regardless is
 * refused by its token, if the resource checks it.
 *
 * <p>Safe for use by many threads.
 */
public interface Lease extends AutoCloseable {

    /** The key; of several, the first. */
    LockKey key();

    /** The proof of turn for {@link #key()}. Pass it to whatever the work changes. */
    FencingToken token();

    /**
     * The proof of turn for one of several keys.
     *
     * @throws IllegalArgumentException if the lease is not about {@code key}
     */
    FencingToken token(LockKey key);

    /** All keys with their tokens. */
    SortedMap<LockKey, FencingToken> tokens();

    /** The grant's name. A process that knows it can end the lease. */
    LeaseId id();

    /** Whether it is neither lost nor released, by the local clock. */
    boolean isHeld();

    /** How long the holder may go on if no renewal succeeds any more; zero once lost. */
    Duration remaining();

    /**
     * Returns if the lease is held. Call it before every step that must not happen without it.
     *
     * @throws LeaseLostException if it is lost or released
     */
    void checkpoint();

    /**
     * Calls {@code listener} once when the lease is lost, or at once if it is; never when it is released. It runs on a
     * thread of the library's; what it throws is logged.
     */
    void onLost(Consumer<LossCause> listener);

    /**
     * Gives the key back. Call it when the work has stopped, not before.
     *
     * @throws StoreUnavailableException if the store does not answer; the key opens at the end of the lease, and giving
     *     it back is tried again in the background until then
     */
    Release release();

    /** Like {@link #release()}, without blocking. */
    CompletionStage<Release> releaseAsync();

    /** Like {@link #release()}, but an unavailable store is logged and not thrown. May be called twice. */
    @Override
    void close();

    /** What came of giving a lease back. */
    enum Release {
        /** It was held until now. */
        RELEASED,
        /** It had been lost before; perhaps another holder has the key by now. */
        WAS_LOST,
        /** It had been given back before. */
        WAS_RELEASED
    }
}
