package io.interlock.spi;

import io.interlock.LockKey;

/**
 * Wake-ups without content: "look again". They are hints. One may come for nothing, and one may be lost, so whoever waits
 * also looks by itself from time to time.
 */
@FunctionalInterface
public interface ChangeFeed {

    /** A feed that never says anything. */
    ChangeFeed SILENT = (key, lookAgain) -> () -> {};

    /**
     * Calls {@code lookAgain} whenever {@code key} may have become free, or the run that has it may have been asked to stop. It is
     * called on a thread of the store and must return at once.
     */
    Subscription watch(LockKey key, Runnable lookAgain);

    /** Somebody listening. */
    interface Subscription extends AutoCloseable {

        /** Stops listening. May be called twice. */
        @Override
        void close();
    }
}
