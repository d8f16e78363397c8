package io.interlock.spi;

import io.interlock.LockKey;

/** Wake-ups without content: "look again". They are hints: a wake-up may be spurious or lost, so waiters also poll. */
@FunctionalInterface
public interface ChangeFeed {

    /** A feed without wake-ups. */
    ChangeFeed SILENT = (key, lookAgain) -> () -> {};

    /**
     * Calls {@code lookAgain} whenever {@code key} may have become free, or the run that has it may have got a stop
     * request. It is called on a thread of the store and must not block.
     */
    Subscription watch(LockKey key, Runnable lookAgain);

    /** A subscription. */
    interface Subscription extends AutoCloseable {

        /** Stops listening. May be called twice. */
        @Override
        void close();
    }
}
