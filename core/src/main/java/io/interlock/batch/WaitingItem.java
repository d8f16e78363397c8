package io.interlock.batch;

import java.util.Collection;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A request whose caller waits, and leads on its own thread.
 *
 * @param <Q> the requests
 * @param <A> the answers
 */
final class WaitingItem<Q, A> implements Item<Q, A> {

    private final Q request;
    private final Collection<?> keys;
    private final Thread caller = Thread.currentThread();
    private volatile boolean leads;
    private volatile @Nullable BatchOutcome<A> verdict;
    private boolean interrupted;

    WaitingItem(Q request, Collection<?> keys) {
        this.request = request;
        this.keys = keys;
    }

    @Override
    public Q request() {
        return request;
    }

    @Override
    public Collection<?> keys() {
        return keys;
    }

    @Override
    public void becomeLeader() {
        leads = true;
        LockSupport.unpark(caller);
    }

    @Override
    public void settle(BatchOutcome<A> verdict) {
        this.verdict = verdict;
        LockSupport.unpark(caller);
    }

    /** Waits until the request is settled or must lead; returns whether it must lead. */
    boolean awaitLeadOrVerdict() {
        while (!leads && verdict == null) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        return leads;
    }

    BatchOutcome<A> verdict() {
        BatchOutcome<A> settled = verdict;
        if (settled == null) {
            throw new IllegalStateException("not settled yet");
        }
        return settled;
    }

    boolean wasInterrupted() {
        return interrupted;
    }
}
