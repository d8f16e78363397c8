package io.interlock.spring.boot.test;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.locks.ForwardingLocks;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.Locks.LeaseTask;
import io.interlock.locks.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Locks in memory for one test: they grant every key that is free, refuse keys that the test {@linkplain #refuse occupies}, and take
 * leases away that the test {@linkplain #lose calls lost}. All else is as in the application, the interrupt of the holder included.
 */
public final class FakeLocks extends ForwardingLocks {

    /** A loss is noticed by the next renewal. */
    private static final Duration RENEW_EVERY = Duration.ofMillis(20);

    private final Locks real;
    private final Map<LockKey, Lease> occupied = new ConcurrentHashMap<>();

    /** Locks that grant everything. */
    public FakeLocks() {
        this(Locks.open("memory:"));
    }

    private FakeLocks(Locks real) {
        super(real);
        this.real = real;
    }

    /**
     * Refuses {@code key} from now on, as if another process held it.
     *
     * @throws io.interlock.RefusedException if it is held now
     */
    public void refuse(LockKey key) {
        // As a thread that does not wait, so that the test's own thread is refused like all others.
        occupied.computeIfAbsent(
                key,
                free -> real.tryAcquireAsync(List.of(free), defaultOptions())
                        .toCompletableFuture()
                        .join()
                        .orElseThrow());
    }

    /** Grants all keys again that were refused. */
    public void grantAll() {
        occupied.keySet().forEach(key -> {
            Lease lease = occupied.remove(key);
            if (lease != null) {
                lease.close();
            }
        });
    }

    /**
     * Takes the lease of {@code key} from its holder, who is interrupted within a moment.
     *
     * @throws IllegalStateException if it is not held
     */
    public void lose(LockKey key) {
        LeaseRecord held = real.find(key).orElseThrow(() -> new IllegalStateException(key + " is not held"));
        real.evict(key, held.token(), "test", "lost on demand");
    }

    @Override
    protected LeaseOptions adapted(LeaseOptions options) {
        return options.renewEvery(RENEW_EVERY);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(LockKey key, LeaseTask<T, X> task)
            throws X {
        return call(key, defaultOptions(), task);
    }

    @Override
    public void close() {
        grantAll();
        real.close();
    }
}
