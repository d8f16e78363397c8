package io.interlock.batch;

/**
 * A request in line.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
interface Item<Q, A> {

    Q request();

    /** Makes whoever asked lead, on its own thread. Throws something if it has none to lead on. */
    void becomeLeader();

    /** Tells whoever asked what became of its request. Called once, by the leader. */
    void settle(Verdict<A> verdict);

    boolean isSettled();
}
