package io.interlock.store.sql;

import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.util.List;

/**
 * Bare leases of plain keys in one statement: it looks at nothing but the key's own row. Requests it cannot answer take the
 * long way. Safe for use by many threads.
 */
public interface FastPath {

    /** Answers requests by a step. */
    @FunctionalInterface
    interface LongWay<Q, A> {

        /**
         * Answers all of them.
         *
         * @param alone whether there was one request to begin with, which waits for its key; one of many is left open
         */
        Answers<A> answer(List<Q> requests, boolean alone);
    }

    /** Grants what is free, and refuses what is held. */
    Answers<AcquireAnswer> acquire(List<AcquireRequest> requests, LongWay<AcquireRequest, AcquireAnswer> longWay);

    /** Extends leases that are still live. */
    Answers<RenewAnswer> renew(List<RenewRequest> requests, LongWay<RenewRequest, RenewAnswer> longWay);

    /** Frees keys, and wakes the callers that wait for them. */
    Answers<ReleaseAnswer> release(List<ReleaseRequest> requests, LongWay<ReleaseRequest, ReleaseAnswer> longWay);
}
