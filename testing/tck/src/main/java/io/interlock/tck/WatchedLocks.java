package io.interlock.tck;

import io.interlock.LockKey;
import io.interlock.locks.Acquisition;
import io.interlock.locks.ForwardingLocks;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.Locks.LeaseTask;
import io.interlock.locks.Outcome;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Records the leases that the lock library hands out, and forwards everything unchanged. */
final class WatchedLocks extends ForwardingLocks {

    private final Locks locks;
    private final History history;

    WatchedLocks(Locks locks, History history) {
        super(locks);
        this.locks = locks;
        this.history = history;
    }

    @Override
    public Acquisition tryAcquireAll(Collection<LockKey> keys, LeaseOptions options) {
        long begun = history.begin();
        return noted(begun, locks.tryAcquireAll(keys, options));
    }

    @Override
    public Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
            throws InterruptedException {
        long begun = history.begin();
        return noted(begun, locks.acquireAll(keys, maxWait, options));
    }

    @Override
    public CompletionStage<Acquisition> tryAcquireAsync(Collection<LockKey> keys, LeaseOptions options) {
        long begun = history.begin();
        return noted(begun, locks.tryAcquireAsync(keys, options));
    }

    @Override
    public CompletionStage<Acquisition> acquireAsync(Collection<LockKey> keys, Duration maxWait, LeaseOptions options) {
        long begun = history.begin();
        return noted(begun, locks.acquireAsync(keys, maxWait, options));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(LockKey key, LeaseTask<T, X> task)
            throws X {
        long begun = history.begin();
        return locks.call(key, lease -> task.run(noted(begun, lease)));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, LeaseOptions options, LeaseTask<T, X> task) throws X {
        long begun = history.begin();
        return locks.call(key, options, lease -> task.run(noted(begun, lease)));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, Duration maxWait, LeaseOptions options, LeaseTask<T, X> task) throws X, InterruptedException {
        long begun = history.begin();
        return locks.call(key, maxWait, options, lease -> task.run(noted(begun, lease)));
    }

    private Acquisition noted(long begun, Acquisition acquisition) {
        acquisition.lease().ifPresent(lease -> noted(begun, lease));
        return acquisition;
    }

    // Returns the same stage: cancelling a copy would not leave the queue.
    private CompletionStage<Acquisition> noted(long begun, CompletionStage<Acquisition> stage) {
        var unused = stage.thenAccept(acquisition -> noted(begun, acquisition));
        return stage;
    }

    private Lease noted(long begun, Lease lease) {
        lease.tokens()
                .forEach((key, token) -> history.add(begun, span -> new Event.Believed(span, key, lease.id(), token)));
        return lease;
    }
}
