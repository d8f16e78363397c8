package io.interlock.cli.backend;

/** Where commands are carried out. Safe for use by many threads. */
public interface Backend extends AutoCloseable {

    /** For {@code interlock run}. */
    Door door();

    /** Gives up connections; what is on record stays. */
    @Override
    void close();
}
