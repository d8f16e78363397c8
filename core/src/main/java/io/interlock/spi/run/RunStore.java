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

    /** All parts; the same at each call. */
    Parts parts();

    /** What a store of runs consists of beside its leases: each part as the method of its name describes it. */
    record Parts(
            RunSteps runs,
            WorkSteps work,
            RunQueries queries,
            RunViews views,
            AuditLog audit,
            RunNotes notes,
            Upkeep upkeep,
            AccessKeys accessKeys,
            SignIns signIns) {}

    /** The steps of callers and operators. */
    default RunSteps runs() {
        return parts().runs();
    }

    /** The steps of workers. */
    default WorkSteps work() {
        return parts().work();
    }

    /** Runs, and what is stored about each. */
    default RunQueries queries() {
        return parts().queries();
    }

    /** Overviews for users and metrics. */
    default RunViews views() {
        return parts().views();
    }

    /** The log of all changes. */
    default AuditLog audit() {
        return parts().audit();
    }

    /** Data stored beside runs. */
    default RunNotes notes() {
        return parts().notes();
    }

    /** The steps of a sweeper. */
    default Upkeep upkeep() {
        return parts().upkeep();
    }

    /** API keys. */
    default AccessKeys accessKeys() {
        return parts().accessKeys();
    }

    /** Sign-ins with a browser. */
    default SignIns signIns() {
        return parts().signIns();
    }
}
