package io.interlock.benchmark.peer;

import java.util.Collection;

/** One way to lock, opened on a server. Safe for use by many threads. */
public interface LockPeer extends AutoCloseable {

    /** Takes a free key. */
    Held take(String key) throws Exception;

    /** Asks for a key that another client holds; whether it was refused. */
    boolean isRefused(String key) throws Exception;

    /** Lets another client take these keys, and hold them for some minutes. */
    void holdElsewhere(Collection<String> keys) throws Exception;

    @Override
    void close() throws Exception;

    /** A lock taken. */
    @FunctionalInterface
    interface Held {

        /** Gives it back. */
        void release() throws Exception;
    }

    /** Opens one. */
    @FunctionalInterface
    interface Opener<A> {

        /** Opens one on the server at {@code address}. */
        LockPeer open(A address) throws Exception;
    }
}
