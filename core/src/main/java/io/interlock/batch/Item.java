package io.interlock.batch;

import java.util.Collection;

/**
 * A waiting request.
 *
 * @param <Q> the requests
 * @param <A> the answers
 */
interface Item<Q, A> {

    Q request();

    /** The keys that must not be in two batches in flight. */
    Collection<?> keys();

    /** Makes the caller lead, on its own thread. Throws if it has no thread to lead on. */
    void becomeLeader();

    /** Delivers the outcome to the caller. Called once, by the leader. */
    void settle(BatchOutcome<A> verdict);
}
