package io.interlock.batch;

import java.util.Collection;

/**
 * A request in line.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
interface Item<Q, A> {

    Q request();

    /** The keys that must not be in two batches in flight. */
    Collection<?> keys();

    /** Makes whoever asked lead, on its own thread. Throws something if it has none to lead on. */
    void becomeLeader();

    /** Tells whoever asked what became of its request. Called once, by the leader. */
    void settle(BatchOutcome<A> verdict);
}
