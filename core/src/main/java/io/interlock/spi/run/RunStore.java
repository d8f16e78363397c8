package io.interlock.spi.run;

import io.interlock.access.SignIns;
import io.interlock.spi.LeaseStore;

/**
 * Keeps runs and leases in one key space: a run's lock is a lease, so runs and bare leases exclude each other.
 * Everything about a key (lease, queue, resource, attempts, audit records) changes in one atomic step.
 *
 * <p>It is a store of leases with further parts. A part is the same object at each call, and its user is given only
 * the part it needs.
 *
 * <p>Expiries and timeouts (an expired lease, a wait that took too long, an offer that was not taken) are settled by
 * the next step on the key; {@link Upkeep#sweepRuns} does so for idle keys. So a key becomes free without a sweeper.
 *
 * <p>As for {@link LeaseStore}, all methods of all parts block, are thread-safe, and may be repeated with the same ids
 * after an unclear answer. {@link #close} closes all parts.
 */
public interface RunStore extends LeaseStore {

    /** The steps of callers and operators. */
    RunSteps runs();

    /** The steps of workers. */
    WorkSteps work();

    /** Runs, and what is stored about each. */
    RunQueries queries();

    /** Overviews for users and metrics. */
    RunViews views();

    /** The log of all changes. */
    AuditLog audit();

    /** Data stored beside runs. */
    RunNotes notes();

    /** The steps of a sweeper. */
    Upkeep upkeep();

    /** API keys. */
    AccessKeys accessKeys();

    /** Sign-ins with a browser. */
    SignIns signIns();
}
