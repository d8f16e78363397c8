package io.interlock.cli.backend;

/** Where {@code interlock run} asks for its key. Safe for use by many threads. */
public interface KeyAcquirer {

    /** Asks; everything else follows from the answer. */
    Entry enter(RunCommandRequest order);
}
