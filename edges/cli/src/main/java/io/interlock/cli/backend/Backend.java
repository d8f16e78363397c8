package io.interlock.cli.backend;

/** Where commands are carried out. Safe for use by many threads. */
public interface Backend extends AutoCloseable {

    /** For {@code interlock run}. */
    KeyAcquirer acquirer();

    /** Who has which key. */
    LockApi locks();

    /** Runs. */
    RunApi runs();

    /** Leases without runs. */
    LeaseApi leases();

    /** API keys. */
    KeyApi keys();

    /** Administration: resources, audit log, workers, jobs, janitor. */
    AdminApi admin();

    /** Gives up connections; what is on record stays. */
    @Override
    void close();
}
