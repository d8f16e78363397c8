package io.interlock.spring.integration;

import io.interlock.LockKey;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.Lease.Release;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Locks for Spring Integration, such as those of an aggregator. A lock is re-entrant in its thread, as the interface demands, and its lease is
 * renewed while it is held. As with Spring's own registries, {@code unlock} throws a {@link ConcurrentModificationException} if
 * the lease was lost before.
 *
 * <p>The key is {@code prefix + lockKey}. Safe for use by many threads.
 */
public final class InterlockLockRegistry implements LockRegistry<DistributedLock> {

    private static final int MOST_UNUSED = 10_000;
    private static final Duration LONG = Duration.ofDays(1);

    private final Locks locks;
    private final String tenant;
    private final String prefix;
    private final Environment environment = Environment.system();
    private final Map<LockKey, ReentrantLease> known = new LinkedHashMap<>(16, 0.75f, true);

    /** Locks of {@code tenant} in {@code locks}, which stay open; {@code prefix} is such as {@code integration/}. */
    public InterlockLockRegistry(Locks locks, String tenant, String prefix) {
        this.locks = locks;
        this.tenant = tenant;
        this.prefix = prefix;
    }

    @Override
    public DistributedLock obtain(Object lockKey) {
        LockKey key = LockKey.of(tenant, prefix + lockKey);
        synchronized (known) {
            ReentrantLease lock = known.computeIfAbsent(key, ReentrantLease::new);
            Iterator<ReentrantLease> oldest = known.values().iterator();
            while (known.size() > MOST_UNUSED && oldest.hasNext()) {
                ReentrantLease candidate = oldest.next();
                if (candidate != lock && !candidate.isUsed()) {
                    oldest.remove();
                }
            }
            return lock;
        }
    }

    private interface Request<X extends Exception> {
        Acquisition send() throws X;
    }

    private final class ReentrantLease implements DistributedLock {

        private final LockKey key;
        private final ReentrantLock local = new ReentrantLock();

        /** Set while {@link #local} is held. */
        private @Nullable Lease lease;

        ReentrantLease(LockKey key) {
            this.key = key;
        }

        boolean isUsed() {
            return local.isLocked() || local.hasQueuedThreads();
        }

        @Override
        public void lock() {
            lock(locks.defaultOptions());
        }

        @Override
        public void lock(Duration ttl) {
            lock(LeaseOptions.defaults().ttl(ttl));
        }

        private void lock(LeaseOptions options) {
            boolean interrupted = false;
            boolean locked = false;
            while (!locked) {
                try {
                    locked = tryLock(LONG, options);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            boolean locked = false;
            while (!locked) {
                locked = tryLock(LONG, locks.defaultOptions());
            }
        }

        @Override
        public boolean tryLock() {
            return local.tryLock() && keepIfGranted(() -> locks.tryAcquire(key));
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return tryLock(Duration.ofNanos(unit.toNanos(time)), locks.defaultOptions());
        }

        @Override
        public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
            return tryLock(waitTime, LeaseOptions.defaults().ttl(ttl));
        }

        private boolean tryLock(Duration waitTime, LeaseOptions options) throws InterruptedException {
            long asked = environment.ticker().nanos();
            if (!local.tryLock(waitTime.toNanos(), TimeUnit.NANOSECONDS)) {
                return false;
            }
            return keepIfGranted(() -> {
                Duration left = waitTime.minusNanos(environment.ticker().nanos() - asked);
                return locks.acquire(key, left.isNegative() ? Duration.ZERO : left, options);
            });
        }

        /** Called with {@link #local} locked once more; unlocks it again unless the thread has the lease. */
        private <X extends Exception> boolean keepIfGranted(Request<X> request) throws X {
            boolean kept = false;
            try {
                if (lease == null) {
                    lease = request.send().lease().orElse(null);
                } else {
                    // The thread has it already; if it is lost, its work must stop.
                    lease.checkpoint();
                }
                kept = lease != null;
                return kept;
            } finally {
                if (!kept) {
                    local.unlock();
                }
            }
        }

        @Override
        public void unlock() {
            if (!local.isHeldByCurrentThread()) {
                throw new IllegalMonitorStateException("this thread does not hold " + key);
            }
            Lease held = lease;
            try {
                if (local.getHoldCount() == 1 && held != null) {
                    lease = null;
                    if (held.release() == Release.WAS_LOST) {
                        throw new ConcurrentModificationException(
                                key + " was lost before it was unlocked; another process may have had it meanwhile");
                    }
                }
            } finally {
                local.unlock();
            }
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException("a lock that reaches over processes has no conditions");
        }
    }
}
