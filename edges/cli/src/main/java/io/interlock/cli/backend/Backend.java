package io.interlock.cli.backend;

/** Where commands are carried out. Safe for use by many threads. */
public interface Backend extends AutoCloseable {

    /** For {@code interlock run}. */
    Door door();

    /** Who has which key. */
    LockBook locks();

    /** Runs. */
    RunBook runs();

    /** Leases without runs. */
    LeaseBook leases();

    /** API keys. */
    KeyBook keys();

    /** What goes on in the house. */
    HouseBook house();

    /** Gives up connections; what is on record stays. */
    @Override
    void close();
}
