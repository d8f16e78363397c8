package io.interlock.tck;

import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.LeaseTask;
import io.interlock.locks.Locks;
import io.interlock.locks.Outcome;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Records the leases that the lock library hands out, and forwards everything unchanged. */
final class WatchedLocks implements Locks {

    private final Locks locks;
    private final History history;

    WatchedLocks(Locks locks, History history) {
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

    @Override
    public Optional<LeaseRecord> find(LockKey key) {
        return locks.find(key);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return locks.list(query);
    }

    @Override
    public boolean validate(LockKey key, FencingToken token) {
        return locks.validate(key, token);
    }

    @Override
    public EvictAnswer evict(LockKey key, FencingToken expected, String actor, String reason) {
        return locks.evict(key, expected, actor, reason);
    }

    @Override
    public StoreCapabilities capabilities() {
        return locks.capabilities();
    }

    @Override
    public LeaseOptions defaultOptions() {
        return locks.defaultOptions();
    }

    @Override
    public void close() {
        locks.close();
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
