package io.interlock.benchmark;

/** One way to lock, opened on a fresh server. Its cycles must be safe for use by many threads. */
interface Peer extends AutoCloseable {

    /** What the table calls it. */
    String name();

    /** Takes a free key. */
    Held take(String key) throws Exception;

    /** Asks for a key that another client holds; must be refused. */
    boolean isRefused(String key) throws Exception;

    @Override
    void close() throws Exception;

    /** A lock taken. */
    @FunctionalInterface
    interface Held {

        /** Gives it back. */
        void release() throws Exception;
    }
}
