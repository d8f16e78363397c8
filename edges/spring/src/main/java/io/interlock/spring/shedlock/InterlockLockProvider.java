package io.interlock.spring.shedlock;

import io.interlock.Holder;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.ThisProcess;
import io.interlock.locks.LeaseClient;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * ShedLock's locks in a store of Interlock, with ShedLock's rules: a lock is not renewed and ends after {@code lockAtMostFor}, even if its
 * work still runs. In return the store's clock decides, and a lock that ended is never released from under its next holder. The
 * key is the lock's name. {@code lockAtMostFor} is at least 2 s, and at most the {@code maxLease} of the store.
 *
 * <p>Safe for use by many threads.
 */
public final class InterlockLockProvider implements ExtensibleLockProvider, AutoCloseable {

    private final LeaseClient leases;
    private final String tenant;
    private final Environment environment = Environment.system();
    private final Holder holder = ThisProcess.holder(environment.random());
    private final Timers releases = environment.timers("interlock-shedlock");

    /** Locks of {@code tenant} in the store of {@code leases}, which stays open. */
    public InterlockLockProvider(LeaseClient leases, String tenant) {
        this.leases = leases;
        this.tenant = tenant;
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        long asked = environment.ticker().nanos();
        return leases.acquire(
                        LockKey.of(tenant, configuration.getName()),
                        atLeastTheShortest(configuration.getLockAtMostFor()),
                        holder)
                .map(lease -> new Held(configuration, lease, asked));
    }

    /** Ends its timer. Locks that are held end by themselves. */
    @Override
    public void close() {
        releases.close();
    }

    private static Duration atLeastTheShortest(Duration ttl) {
        return ttl.compareTo(LeaseTerms.MIN_TTL) < 0 ? LeaseTerms.MIN_TTL : ttl;
    }

    private final class Held extends AbstractSimpleLock {

        private final LeaseRecord lease;
        private final long since;

        Held(LockConfiguration configuration, LeaseRecord lease, long since) {
            super(configuration);
            this.lease = lease;
            this.since = since;
        }

        @Override
        protected void doUnlock() {
            Duration left = lockConfiguration.getLockAtLeastFor().minus(passed());
            if (left.isNegative() || left.isZero()) {
                release();
            } else if (left.compareTo(LeaseTerms.MIN_TTL) >= 0) {
                renew(left);
            } else {
                // No lease is that short. If this process dies meanwhile, the lock ends a little later by itself.
                releases.after(left, this::release);
            }
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
            long asked = environment.ticker().nanos();
            if (passed().compareTo(lockConfiguration.getLockAtMostFor()) >= 0) {
                release();
                return Optional.empty();
            }
            return renew(extended.getLockAtMostFor()).map(renewed -> new Held(extended, renewed, asked));
        }

        private Optional<LeaseRecord> renew(Duration ttl) {
            return leases.renew(lease.key(), lease.id(), lease.token(), atLeastTheShortest(ttl));
        }

        private void release() {
            leases.release(lease.key(), lease.id(), lease.token());
        }

        private Duration passed() {
            return Duration.ofNanos(environment.ticker().nanos() - since);
        }
    }
}
