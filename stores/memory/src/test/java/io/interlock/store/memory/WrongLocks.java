package io.interlock.store.memory;

import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.locks.Acquisition;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.LeaseTask;
import io.interlock.locks.Locks;
import io.interlock.locks.Outcome;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Correct locks, for subclasses with one mistake. */
abstract class WrongLocks implements Locks {

    final Locks right;

    WrongLocks(Locks right) {
        this.right = right;
    }

    @Override
    public Acquisition tryAcquireAll(Collection<LockKey> keys, LeaseOptions options) {
        return right.tryAcquireAll(keys, options);
    }

    @Override
    public Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
            throws InterruptedException {
        return right.acquireAll(keys, maxWait, options);
    }

    @Override
    public CompletionStage<Acquisition> tryAcquireAsync(Collection<LockKey> keys, LeaseOptions options) {
        return right.tryAcquireAsync(keys, options);
    }

    @Override
    public CompletionStage<Acquisition> acquireAsync(Collection<LockKey> keys, Duration maxWait, LeaseOptions options) {
        return right.acquireAsync(keys, maxWait, options);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(LockKey key, LeaseTask<T, X> task)
            throws X {
        return right.call(key, task);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, LeaseOptions options, LeaseTask<T, X> task) throws X {
        return right.call(key, options, task);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, Duration maxWait, LeaseOptions options, LeaseTask<T, X> task) throws X, InterruptedException {
        return right.call(key, maxWait, options, task);
    }

    @Override
    public Optional<LeaseRecord> find(LockKey key) {
        return right.find(key);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return right.list(query);
    }

    @Override
    public boolean validate(LockKey key, FencingToken token) {
        return right.validate(key, token);
    }

    @Override
    public EvictAnswer evict(LockKey key, FencingToken expected, String actor, String reason) {
        return right.evict(key, expected, actor, reason);
    }

    @Override
    public StoreCapabilities capabilities() {
        return right.capabilities();
    }

    @Override
    public LeaseOptions defaultOptions() {
        return right.defaultOptions();
    }

    @Override
    public void close() {
        right.close();
    }
}
