package io.interlock.locks;

import io.interlock.FencingToken;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.locks.Locks.LeaseTask;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks that pass every call to others, for locks that change a few of them. As safe for use by many threads as those it passes
 * calls to.
 */
public abstract class ForwardingLocks implements Locks {

    private final Locks target;

    /** Passes calls to {@code target}. */
    protected ForwardingLocks(Locks target) {
        this.target = target;
    }

    /** The options with which a call that has {@code options} is passed on. */
    protected LeaseOptions adapted(LeaseOptions options) {
        return options;
    }

    @Override
    public Acquisition tryAcquireAll(Collection<LockKey> keys, LeaseOptions options) {
        return target.tryAcquireAll(keys, adapted(options));
    }

    @Override
    public Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
            throws InterruptedException {
        return target.acquireAll(keys, maxWait, adapted(options));
    }

    @Override
    public CompletionStage<Acquisition> acquireAsync(Collection<LockKey> keys, Duration maxWait, LeaseOptions options) {
        return target.acquireAsync(keys, maxWait, adapted(options));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(LockKey key, LeaseTask<T, X> task)
            throws X {
        return target.call(key, task);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, LeaseOptions options, LeaseTask<T, X> task) throws X {
        return target.call(key, adapted(options), task);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, Duration maxWait, LeaseOptions options, LeaseTask<T, X> task) throws X, InterruptedException {
        return target.call(key, maxWait, adapted(options), task);
    }

    @Override
    public Optional<LeaseRecord> find(LockKey key) {
        return target.find(key);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return target.list(query);
    }

    @Override
    public boolean validate(LockKey key, FencingToken token) {
        return target.validate(key, token);
    }

    @Override
    public EvictAnswer evict(LockKey key, FencingToken expected, String actor, String reason) {
        return target.evict(key, expected, actor, reason);
    }

    @Override
    public StoreCapabilities capabilities() {
        return target.capabilities();
    }

    @Override
    public LeaseOptions defaultOptions() {
        return target.defaultOptions();
    }

    @Override
    public void close() {
        target.close();
    }
}
